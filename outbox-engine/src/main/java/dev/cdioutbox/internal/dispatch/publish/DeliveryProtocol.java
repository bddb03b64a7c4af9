package dev.cdioutbox.internal.dispatch.publish;

/** How a batch is sent and settled. */
public enum DeliveryProtocol {
    /** In one XA transaction: exactly once. */
    ONE_TRANSACTION,
    /** First sent, and then settled; a marker in the transport tells what is sent: exactly once. */
    MARKER,
    /** First sent, and then settled: at least once. */
    TWO_TRANSACTIONS,
    /** Each message in a transaction of its own, together with the work of its handler: exactly once, without XA. */
    HANDLING;

    /** Whether only one node and thread may send to the destination at a time. */
    public boolean ownsDestination() {
        return this == MARKER;
    }

    /** How many threads of a node may send to the destination, of as many as are configured. */
    public int threads(int configured) {
        return ownsDestination() ? 1 : configured;
    }

    /** How many of so many messages are sent in one transaction. */
    public int groupOf(int messages) {
        return this == HANDLING ? 1 : messages;
    }

    /** Whether the messages go to code of the application, which may take its time, and which stops with it. */
    public boolean callsApplication() {
        return this == HANDLING;
    }

    /** Whether the settlement is a separate transaction. */
    public boolean settlesApart() {
        return this == MARKER || this == TWO_TRANSACTIONS;
    }

    /** Whether exactly-once must be proven before the first send. */
    boolean needsProof() {
        return this == ONE_TRANSACTION || this == MARKER;
    }
}
