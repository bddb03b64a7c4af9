package dev.cdioutbox.internal.store;

/** Very many messages in a table, made by the database itself. */
final class Crowd {
    private final TestDatabase database;
    private final Dialect dialect;

    Crowd(TestDatabase database) {
        this.database = database;
        this.dialect = database.kind().dialect();
    }

    void published(int count) {
        fill(count, "", "'key'", "NULL", "'PUBLISHED'", "NULL", dialect.now());
    }

    /**
     * A key with so many followers, as many keys of which each has failed, and as many messages that are delayed and that go
     * to a destination which is paused.
     */
    void waiting(int count) {
        String partition = "(SELECT MIN(id) FROM shop_partition WHERE destination = '%s' AND partition_no %s)";
        String own = partition.formatted("default", ">= 0");
        String later = later();
        database.update("INSERT INTO shop_gate (queue_id, message_key, due_at) VALUES (" + own + ", 'blocked', "
                + dialect.never() + ")");
        fill(count, "b", "'blocked'", "(SELECT MAX(id) FROM shop_gate)", "'PENDING'", "NULL", "NULL");
        database.update("UPDATE shop_message SET status = 'ABANDONED' WHERE seq = ?", first("blocked"));
        database.update("INSERT INTO shop_gate (queue_id, message_key, due_at) SELECT " + own + ", CONCAT('f', s.x), "
                + later + " FROM " + series(count));
        // They were numbered after the first.
        fill(count, "f", "CONCAT('f', s.x)", "(SELECT MIN(id) FROM shop_gate) + s.x", "'FAILED'", later, "NULL");
        fill(count, "d", "'delayed'", partition.formatted("default", "= -1"), "'PENDING'", later, "NULL");
        fill(count, "p", "'paused'", partition.formatted("audit", ">= 0"), "'PENDING'", "NULL", "NULL");
    }

    /** So many messages that were delayed, and gates that were due, in no order, and are over; on PostgreSQL. */
    void served(int count) {
        String past = "now() - random() * INTERVAL '1 hour'";
        String partition = "(SELECT MIN(id) FROM shop_partition WHERE destination = 'default' AND partition_no %s)";
        database.update("INSERT INTO shop_gate (queue_id, message_key, due_at) SELECT " + partition.formatted(">= 0")
                + ", CONCAT('s', s.x), " + past + " FROM " + series(count));
        database.update("DELETE FROM shop_gate WHERE message_key LIKE 's%'");
        fill(count, "s", "'served'", partition.formatted("= -1"), "'PENDING'", past, "NULL");
        database.update("UPDATE shop_message SET status = 'PUBLISHED', available_at = NULL, queue_id = NULL"
                + " WHERE message_key = 'served'");
    }

    /** As the database does itself in time. */
    void analyze() {
        switch (database.kind()) {
            case POSTGRESQL -> database.update("ANALYZE");
            case MARIADB -> database.query("ANALYZE TABLE shop_message, shop_gate, shop_partition");
            case H2 -> {
                // it has done so while it was filled
            }
        }
    }

    private long first(String key) {
        return Long.parseLong(database.query("SELECT MIN(seq) FROM shop_message WHERE message_key = ?", key)
                .get(0));
    }

    private String later() {
        return switch (database.kind()) {
            case POSTGRESQL -> "now() + INTERVAL '1 hour'";
            case MARIADB -> dialect.now() + " + INTERVAL 1 HOUR";
            case H2 -> "DATEADD(HOUR, 1, CURRENT_TIMESTAMP)";
        };
    }

    private String series(int count) {
        return switch (database.kind()) {
            case POSTGRESQL -> "generate_series(1, " + count + ") s(x)";
            case MARIADB -> "(SELECT seq AS x FROM seq_1_to_" + count + ") s";
            case H2 -> "SYSTEM_RANGE(1, " + count + ") s(x)";
        };
    }

    private void fill(
            int count, String prefix, String key, String queue, String status, String availableAt, String publishedAt) {
        String number = database.kind() == Database.POSTGRESQL ? "CAST(s.x AS TEXT)" : "s.x";
        database.update("""
                INSERT INTO shop_message (message_id, application, event_type, schema_version, message_key, partition_no,
                  destination, queue_id, content_type, payload, payload_bytes, occurred_at, status, available_at, published_at)
                SELECT CONCAT('%s', LPAD(%s, %d, '0')), 'shop', 'OrderPlaced', 1, %s, 0, 'default', %s, 'text/plain', 'text',
                  4, %s, %s, %s, %s FROM %s""".formatted(
                        prefix,
                        number,
                        36 - prefix.length(),
                        key,
                        queue,
                        dialect.now(),
                        status,
                        availableAt,
                        publishedAt,
                        series(count)));
    }
}
