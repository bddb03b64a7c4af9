package dev.cdioutbox.internal.store.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.StoreContract;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards what settings of the database lead to which findings, and that each database tells its settings. */
class DatabaseSettingsTest extends StoreContract {
    private static final int MEBIBYTE = 1_048_576;

    DatabaseSettingsTest(Database kind) {
        super(kind);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "-, -",
                "server_encoding=UTF8 synchronous_commit=on fsync=on, -",
                "server_encoding=LATIN1, OBX-0340 LATIN1",
                "server_encoding=SQL_ASCII, OBX-0340 SQL_ASCII",
                "synchronous_commit=off, OBX-0341 (synchronous_commit=off)",
                "synchronous_commit=local, -",
                "synchronous_commit=on fsync=off, OBX-0341 (fsync=off)",
                "innodb_flush_log_at_trx_commit=1, -",
                "innodb_flush_log_at_trx_commit=0, OBX-0341 (innodb_flush_log_at_trx_commit=0)",
                "innodb_flush_log_at_trx_commit=2, OBX-0341 (innodb_flush_log_at_trx_commit=2)",
                "log_bin=OFF sync_binlog=0, -",
                "log_bin=ON sync_binlog=1, -",
                "log_bin=ON sync_binlog=100, OBX-0341 (sync_binlog=100)",
                "max_allowed_packet=16777216, -",
                "max_allowed_packet=1048576, OBX-0342 2162688"
            })
    void settingsLeadToFindings(String given, String found) {
        Map<String, String> values = given == null
                ? Map.of()
                : Arrays.stream(given.split(" "))
                        .map(each -> each.split("="))
                        .collect(Collectors.toMap(each -> each[0], each -> each[1]));
        DatabaseSettings settings = new DatabaseSettings(SupportedDatabases.POSTGRESQL, values);

        List<Finding> findings = settings.findings("jdbc/shop", MEBIBYTE);
        assertThat(settings.mayLoseTheLast())
                .isEqualTo(findings.stream().anyMatch(each -> each.code().equals("OBX-0341")));
        if (found == null) {
            assertThat(findings).isEmpty();
        } else {
            assertThat(findings)
                    .singleElement()
                    .asString()
                    .startsWith(found.substring(0, 8) + ": ")
                    .contains("the DataSource jdbc/shop", found.substring(9));
        }
    }

    @Test
    void databaseTellsItsSettings() throws SQLException {
        Map<String, String> values = settings().values();

        switch (database.kind()) {
            case H2 -> {
                assertThat(values).isEmpty();
                assertThat(settings().mayLoseTheLast()).isTrue();
            }
            case POSTGRESQL -> {
                assertThat(values).containsEntry("server_encoding", "UTF8").containsKeys("synchronous_commit", "fsync");
                database.commitToDisk();
                assertThat(settings().values()).as("set for a database").containsEntry("synchronous_commit", "on");
                assertThat(settings("SET synchronous_commit = off").values())
                        .as("set for a session")
                        .containsEntry("synchronous_commit", "off");
            }
            default ->
                assertThat(values)
                        .containsKeys("innodb_flush_log_at_trx_commit", "log_bin", "sync_binlog", "max_allowed_packet");
        }
    }

    private DatabaseSettings settings(String... first) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            for (String statement : first) {
                Database.execute(connection, statement);
            }
            return DatabaseSettings.of(connection, SupportedDatabases.of(connection));
        }
    }
}
