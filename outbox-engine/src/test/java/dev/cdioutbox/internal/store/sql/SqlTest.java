package dev.cdioutbox.internal.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import org.junit.jupiter.api.Test;

/** Guards how a statement is made of the text in the code. */
class SqlTest {
    private static final Sql H2 = new Sql("shop_", SupportedDatabases.H2);

    @Test
    void bracesAreFilledFromTheInside() {
        assertThat(H2.with("columns", "{time {now}} AS read_at")
                        .of("SELECT {columns} FROM {queue} WHERE status = {FAILED}"))
                .isEqualTo("SELECT CURRENT_TIMESTAMP AS read_at FROM shop_queue WHERE status = 1");
    }

    /** It would be the name of a table that does not exist. */
    @Test
    void unknownWordsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> H2.of("SELECT * FROM {queue} q {join message}"))
                .withMessageContaining("{join message}");
    }

    @Test
    void hintsAreForMariaDbAndMySqlOnly() {
        String text = "DELETE /*! m */ FROM {queue} /*! m FORCE INDEX (PRIMARY) */ WHERE seq = :seq";

        assertThat(H2.of(text)).isEqualTo("DELETE FROM shop_queue WHERE seq = :seq");
        assertThat(new Sql("shop_", SupportedDatabases.MARIADB).of(text))
                .isEqualTo("DELETE m FROM shop_queue m FORCE INDEX (PRIMARY) WHERE seq = :seq");
    }
}
