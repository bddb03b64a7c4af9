package dev.cdioutbox.internal.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.internal.store.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JdbcStatementTest {

    /** A statement cache then needs few entries. */
    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "1, 1",
        "2, 2",
        "3, 4",
        "4, 4",
        "5, 8",
        "500, 512",
        "512, 512",
        "513, 1000",
        "1000, 1000",
        "1001, 1024"
    })
    void parametersArePaddedToAPowerOfTwoAndNotAboveAThousandForNothing(int count, int paddedCount) {
        assertThat(JdbcStatement.paddedCount(count)).isEqualTo(paddedCount);
    }

    /** A name may stand twice, and is no other one that begins with it. */
    @Test
    void parametersFillTheirPlacesByName() throws SQLException {
        try (TestDatabase database = new TestDatabase();
                Connection connection = database.dataSource().getConnection()) {
            String odd =
                    "SELECT x FROM SYSTEM_RANGE(1, 10) WHERE x % 2 = :rest AND x IN (:list) AND x < :end AND :end < 10 ORDER BY x";

            assertThat(JdbcStatement.of(connection, odd)
                            .set("rest", 1)
                            .set("list", List.of(1L, 3L, 4L, 5L, 9L))
                            .set("end", 9)
                            .numbers())
                    .containsExactly(1L, 3L, 5L);
            assertThat(JdbcStatement.of(connection, odd)
                            .set("rest", 1)
                            .set("list", List.of(9L))
                            .set("end", 9)
                            .number())
                    .isNull();
        }
    }

    /** Otherwise a name that was spelled in two ways would be a null. */
    @Test
    void parameterThatWasNotSetIsRefused() throws SQLException {
        try (TestDatabase database = new TestDatabase();
                Connection connection = database.dataSource().getConnection()) {
            JdbcStatement select = JdbcStatement.of(connection, "SELECT CAST(:number AS INT)");

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> select.set("numbr", 1).number())
                    .withMessage("no value for :number");
            assertThat(select.set("number", null).number()).isZero();
        }
    }
}
