package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;

/** Databases whose log nobody can read, or does not tell the truth. */
class CdcRefusedTest {

    @ParameterizedTest
    @EachDatabase({Database.H2, Database.MARIADB, Database.MYSQL})
    void changeDataCaptureIsRefusedWithTheReason(Database kind) {
        try (TestDatabase database = new TestDatabase(kind)) {
            assertThatThrownBy(() -> database.openWithCdc().cdc().require())
                    .hasMessageContaining("OBX-0332")
                    .hasMessageContaining(kind.isInnoDb() ? "keeps them if it is rolled back" : "no log");
        }
    }
}
