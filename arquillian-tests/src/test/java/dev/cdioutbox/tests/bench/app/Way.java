package dev.cdioutbox.tests.bench.app;

/** What a transaction does with its events. */
enum Way {
    /** It writes its own rows only. */
    NONE(true),
    /** It writes the events to a table, in one JDBC batch. */
    BY_HAND(true),
    /** It writes one event to a table; after its commit a thread sends the event, see {@link WokenByHand}. */
    WOKEN(true),
    /** It fires the events. */
    OUTBOX(true),
    /** It sends the events to the broker, as the second resource of the transaction. */
    DIRECT(true),
    /** It sends the events to the broker, and writes no row. */
    RAW(false);

    private final boolean rows;

    Way(boolean rows) {
        this.rows = rows;
    }

    boolean writesRows() {
        return rows;
    }
}
