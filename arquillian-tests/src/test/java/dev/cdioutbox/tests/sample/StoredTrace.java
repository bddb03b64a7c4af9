package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import dev.cdioutbox.tests.server.LibertyServer;

/** Reads the stored trace of a message from the database of a stopped server. */
final class StoredTrace {
    private static final String TRACE = "00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]";

    private StoredTrace() {}

    /** The correlation id and the headers of an order's message. */
    static String of(LibertyServer server, String order) throws SQLException {
        try (Connection database = server.connection();
                PreparedStatement select = database.prepareStatement(
                        "SELECT correlation_id, headers FROM outbox_message WHERE message_key = ?")) {
            select.setString(1, order);
            try (ResultSet row = select.executeQuery()) {
                assertThat(row.next()).as("a message of %s", order).isTrue();
                return row.getString(1) + " " + row.getString(2);
            }
        }
    }

    static void assertTraced(LibertyServer server, String order) throws SQLException {
        String context = of(server, order);
        assertThat(context).matches("[0-9a-f]{32} \\{\"traceparent\":\"" + TRACE + "\"}");
        assertThat(context.substring(context.indexOf("00-") + 3)).startsWith(context.substring(0, 32));
    }
}
