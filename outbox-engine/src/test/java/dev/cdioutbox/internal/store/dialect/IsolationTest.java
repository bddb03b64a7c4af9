package dev.cdioutbox.internal.store.dialect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.StoreContract;
import org.junit.jupiter.api.Test;

/**
 * Guards the finding about an isolation that hurts: above READ COMMITTED, such as Liberty's default, InnoDB locks
 * gaps; with SERIALIZABLE, other databases refuse commits at random.
 */
class IsolationTest extends StoreContract {
    private final List<String> found = new ArrayList<>();

    IsolationTest(Database kind) {
        super(kind);
    }

    @Test
    void isolationThatLeadsToDeadlocksOrRefusedCommitsIsWarnedOf() throws SQLException {
        open(Connection.TRANSACTION_READ_COMMITTED);
        assertThat(found).isEmpty();

        open(Connection.TRANSACTION_REPEATABLE_READ);
        open(Connection.TRANSACTION_SERIALIZABLE);

        if (database.kind().isInnoDb()) {
            assertThat(found).hasSize(2).allMatch(line -> line.startsWith("OBX-0318"));
        } else {
            assertThat(found)
                    .as("REPEATABLE READ does no harm here")
                    .singleElement(STRING)
                    .startsWith("OBX-0437");
        }
    }

    private void open(int isolation) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setTransactionIsolation(isolation);
            SupportedDatabases.findings(SupportedDatabases.of(connection), connection)
                    .forEach(finding -> found.add(finding.toString()));
        }
    }
}
