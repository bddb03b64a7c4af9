package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;

import dev.cdioutbox.internal.code.OutboxCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that statements do not have the digits or the letters of the JVM's language. */
class LocaleTest extends StoreContract {
    private final Locale before = Locale.getDefault();

    LocaleTest(Database kind) {
        super(kind);
    }

    @AfterEach
    void backHome() {
        Locale.setDefault(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ar-EG-u-nu-arab", "tr-TR", "th-TH-u-nu-thai"})
    void databaseUnderstandsEachStatementInEachLanguage(String language) {
        Locale.setDefault(Locale.forLanguageTag(language));

        EveryStatement.run(database.open(4));

        assertThat(OutboxCode.SCHEMA_APPLIED.text("outbox_message", 12)).contains("version 12");
    }
}
