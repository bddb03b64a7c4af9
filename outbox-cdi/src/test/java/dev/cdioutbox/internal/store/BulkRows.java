package dev.cdioutbox.internal.store;

import dev.cdioutbox.internal.store.dialect.Dialect;

/** Very many messages in a table, made by the database itself. */
public final class BulkRows {
    private final TestDatabase database;
    private final Dialect dialect;

    public BulkRows(TestDatabase database) {
        this.database = database;
        this.dialect = database.kind().dialect();
    }

    public void published(int count) {
        fill(count, "", "'key'", "NULL", "'PUBLISHED'", "NULL", dialect.now());
    }

    /** What was written since the table was last analyzed, and nobody has claimed yet. */
    public void unclaimed(int count) {
        fill(
                count,
                "u",
                "'key'",
                "(SELECT MIN(id) FROM shop_partition WHERE partition_no >= 0)",
                "'PENDING'",
                "NULL",
                "NULL");
    }

    /** Keys of an application whose only message is abandoned and blocks them. */
    void blocked(String application, int count) {
        String partition = "(SELECT MIN(id) FROM shop_partition WHERE application = '%s' AND partition_no >= 0)"
                .formatted(application);
        String blockedKey = blockedKeys("k", count, partition, dialect.neverDue());
        fill(count, "k", "CONCAT('k', s.x)", blockedKey, "'ABANDONED'", "NULL", "NULL");
    }

    void delayed(int count) {
        String partition = "(SELECT MIN(id) FROM shop_partition WHERE partition_no = -1)";
        fill(count, "d", "'delayed'", partition, "'PENDING'", later(), "NULL");
    }

    /** Keys of a destination of which each has failed, and whose time has come; each is paused, say. */
    void overdue(int count) {
        String past = "TIMESTAMP '2020-01-01 00:00:00'";
        String partition = "(SELECT MIN(id) FROM shop_partition WHERE destination = 'audit' AND partition_no >= 0"
                + " AND application = 'shop')";
        String blockedKey = blockedKeys("o", count, partition, past);
        fill(count, "o", "CONCAT('o', s.x)", blockedKey, "'FAILED'", past, "NULL");
    }

    /** What a consumer has handled long ago. */
    void handled(int count) {
        database.update("INSERT INTO shop_inbox (application, consumer, message_id, received_at)"
                + " SELECT 'shop', 'consumer', CONCAT('m', s.x), TIMESTAMP '2020-01-01 00:00:00' FROM "
                + series(count));
    }

    /** Adds blocked keys for so many keys; returns each one's id. */
    private String blockedKeys(String key, int count, String partition, String due) {
        database.update("INSERT INTO shop_blocked_key (partition_id, message_key, due_at) SELECT " + partition
                + ", CONCAT('" + key + "', s.x), " + due + " FROM " + series(count));
        // They were numbered one after the other.
        return "(SELECT MIN(id) FROM shop_blocked_key WHERE message_key = '" + key + "1') + s.x - 1";
    }

    /** So many of another application in the same tables, as many that it has abandoned, and as many keys that this blocks. */
    void strangers(int count) {
        String partition = "(SELECT %s id) FROM shop_partition WHERE application = 'other' AND partition_no >= 0)";
        fill(count, "s", "'key'", partition.formatted("MIN("), "'PENDING'", "NULL", "NULL");
        fill(count, "a", "'key'", partition.formatted("-MIN("), "'ABANDONED'", "NULL", "NULL");
        fill(
                count,
                "x",
                "'key'",
                blockedKeys("x", count, partition.formatted("MIN("), dialect.neverDue()),
                "'ABANDONED'",
                "NULL",
                "NULL");
        database.update(
                "UPDATE shop_message SET application = 'other' WHERE message_key = 'key' AND queue_id IS NOT NULL");
    }

    /**
     * A key with so many followers, as many keys of which each has failed, and as many messages that are delayed and that go
     * to a destination which is paused.
     */
    public void waiting(int count) {
        String partition = "(SELECT MIN(id) FROM shop_partition WHERE destination = '%s' AND partition_no %s)";
        String own = partition.formatted("default", ">= 0");
        String later = later();
        fill(
                count,
                "b",
                "'blocked1'",
                blockedKeys("blocked", 1, own, dialect.neverDue()).replace("s.x", "1"),
                "'PENDING'",
                "NULL",
                "NULL");
        database.update("UPDATE shop_message SET status = 'ABANDONED' WHERE seq = ?", first("blocked1"));
        fill(count, "f", "CONCAT('f', s.x)", blockedKeys("f", count, own, later), "'FAILED'", later, "NULL");
        fill(count, "d", "'delayed'", partition.formatted("default", "= -1"), "'PENDING'", later, "NULL");
        fill(count, "p", "'paused'", partition.formatted("audit", ">= 0"), "'PENDING'", "NULL", "NULL");
    }

    /** As the database does itself in time. */
    public void analyze() {
        switch (database.kind()) {
            case POSTGRESQL -> database.update("ANALYZE");
            case MARIADB -> database.query("ANALYZE TABLE shop_message, shop_blocked_key, shop_partition");
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
