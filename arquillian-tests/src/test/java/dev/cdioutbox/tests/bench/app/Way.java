package dev.cdioutbox.tests.bench.app;

/** What a transaction does with its events. */
enum Way {
    /** It writes its own rows only. */
    NONE(true),
    /** It writes the events to a table, in one JDBC batch. */
    BY_HAND(true, "INSERT INTO by_hand (message_key, payload) VALUES (?, ?)"),
    /** It writes the events to tables like those of the outbox, in one JDBC batch: what the tables cost. */
    SAME_TABLES(true, """
            WITH inserted AS (
              INSERT INTO same_message (message_id, application, event_type, schema_version, message_key, partition_id, destination,
                content_type, payload, payload_bytes, occurred_at, created_at)
              SELECT CAST(uuidv7() AS CHAR(36)), 'bench', 'Ordered', 1, e.account, 1 + MOD(ABS(hashtext(e.account)), 64), 'default',
                'application/json', e.text, LENGTH(e.text), now(), statement_timestamp() FROM (VALUES (?, ?)) e (account, text)
              RETURNING seq, partition_id)
            INSERT INTO same_queue (seq, queue_id) SELECT seq, partition_id FROM inserted"""),
    /** It writes one event to a table; after its commit a thread sends the event, see {@link WokenByHand}. */
    WOKEN(true),
    /** As {@link #WOKEN}, but the thread also locks the partition of the key, see {@link WokenByHand}. */
    CLAIMED(true),
    /** It fires the events. */
    OUTBOX(true),
    /** It sends the events to the broker, as the second resource of the transaction. */
    DIRECT(true),
    /** It sends the events to the broker, and writes no row. */
    RAW(false);

    private final boolean rows;
    private final String insert;

    Way(boolean rows) {
        this(rows, null);
    }

    Way(boolean rows, String insert) {
        this.rows = rows;
        this.insert = insert;
    }

    boolean writesRows() {
        return rows;
    }

    /** The statement that inserts the key and the text of an event; null if the way has none. */
    String insert() {
        return insert;
    }
}
