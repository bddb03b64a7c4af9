package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.limits;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import org.junit.jupiter.api.Test;

class ClaimLimitsTest {

    /** A message has its sequence once, and again with its id; one parameter is the shadow destination. */
    @Test
    void settlementOfAFullBatchFitsIntoAStatementOfSqlServer() {
        ClaimLimits limits = limits(1, 1000, 1_000_000).on(SupportedDatabases.SQL_SERVER);

        int parameters = 3 * JdbcStatement.paddedCount(limits.messages()) + 1;

        assertThat(parameters).isLessThanOrEqualTo(2100);
    }

    @Test
    void otherDatabasesAndSmallerBatchesKeepTheirLimits() {
        ClaimLimits large = limits(1, 1000, 1_000_000);
        ClaimLimits small = limits(1, 500, 1_000_000);

        assertThat(large.on(SupportedDatabases.POSTGRESQL)).isEqualTo(large);
        assertThat(small.on(SupportedDatabases.SQL_SERVER)).isEqualTo(small);
    }
}
