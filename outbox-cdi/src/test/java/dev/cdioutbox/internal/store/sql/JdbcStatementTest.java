package dev.cdioutbox.internal.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import dev.cdioutbox.internal.store.TestDatabase;
import org.junit.jupiter.api.Test;

class JdbcStatementTest {

    /** The texts for SQL Server have a {@code %} of their own. */
    @Test
    void onlyTheListFillsItsPlaceInTheText() throws SQLException {
        try (TestDatabase database = new TestDatabase();
                Connection connection = database.dataSource().getConnection()) {
            String odd = "SELECT x FROM SYSTEM_RANGE(1, 10) WHERE x % 2 = ? AND x IN (%s) AND x < ? ORDER BY x";

            assertThat(JdbcStatement.of(connection, odd, 1, List.of(1L, 3L, 4L, 5L, 9L), 9)
                            .numbers())
                    .containsExactly(1L, 3L, 5L);
            assertThat(JdbcStatement.of(connection, odd, 1, List.of(9L), 9).number())
                    .isNull();
        }
    }
}
