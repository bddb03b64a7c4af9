package dev.cdioutbox.tests.bench;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.tests.server.PostgresServer;

/** The loop that a team writes by hand: claim a batch, send it to nowhere, settle it, all in one transaction. */
final class HandLoop {
    private static final String CREATE = """
            CREATE TABLE hand_message (
              seq          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              message_id   UUID NOT NULL,
              event_type   VARCHAR(255) NOT NULL,
              message_key  VARCHAR(255) NOT NULL,
              payload      TEXT NOT NULL,
              created_at   TIMESTAMPTZ DEFAULT now() NOT NULL,
              published_at TIMESTAMPTZ
            )""";

    private static final String INDEX =
            "CREATE INDEX hand_message_waiting ON hand_message (seq) WHERE published_at IS NULL";

    private static final String FILL = """
            INSERT INTO hand_message (message_id, event_type, message_key, payload)
            SELECT uuidv7(), 'OrderPlaced', 'key-' || n %% %d, repeat('.', %d) FROM generate_series(1, %d) n""";

    private static final String CLAIM = """
            SELECT seq, message_id, event_type, message_key, payload FROM hand_message
            WHERE published_at IS NULL ORDER BY seq LIMIT %d FOR UPDATE SKIP LOCKED""";

    private static final String SETTLE = "UPDATE hand_message SET published_at = now() WHERE seq = ANY (?)";

    private final PostgresServer server;
    private final int batchSize;

    HandLoop(PostgresServer server, int batchSize) {
        this.server = server;
        this.batchSize = batchSize;
        server.update(CREATE);
        server.update(INDEX);
    }

    private record Message(long sequence, String id, String type, String key, String payload) {}

    /** Replaces the messages by so many waiting ones. */
    void fill(long messages) {
        server.update("TRUNCATE hand_message");
        server.update(FILL.formatted(Engine.TEMPLATE_ROWS, Engine.PAYLOAD, messages));
        server.update("VACUUM (ANALYZE) hand_message");
        server.update("CHECKPOINT");
    }

    /** Delivers all waiting messages, and checks that there are so many. */
    Deliveries drain(long messages) throws SQLException {
        try (Connection connection = server.connect()) {
            connection.setAutoCommit(false);
            Deliveries deliveries = new Deliveries();
            for (List<Message> batch = claim(connection); !batch.isEmpty(); batch = claim(connection)) {
                settle(connection, batch);
                connection.commit();
                deliveries.add(batch, Message::key, Message::sequence);
            }
            deliveries.check(messages);
            return deliveries;
        }
    }

    private List<Message> claim(Connection connection) throws SQLException {
        List<Message> batch = new ArrayList<>();
        try (PreparedStatement claim = connection.prepareStatement(CLAIM.formatted(batchSize));
                ResultSet rows = claim.executeQuery()) {
            while (rows.next()) {
                batch.add(new Message(
                        rows.getLong(1), rows.getString(2), rows.getString(3), rows.getString(4), rows.getString(5)));
            }
        }
        return batch;
    }

    private static void settle(Connection connection, List<Message> batch) throws SQLException {
        Array sequences = connection.createArrayOf(
                "bigint", batch.stream().map(Message::sequence).toArray());
        try (PreparedStatement settle = connection.prepareStatement(SETTLE)) {
            settle.setArray(1, sequences);
            settle.executeUpdate();
        }
    }
}
