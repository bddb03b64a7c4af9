package dev.cdioutbox.internal.store.node;

import dev.cdioutbox.internal.config.RetentionConfig;

/** What a probe needs of the database: a row to settle, and what the database says of itself. Thread-safe. */
public interface ProbeStore {

    /** The database's own name and version. */
    String database();

    /** The database's prepared transactions, in any transaction of the caller; null if it does not limit them. */
    PreparedTransactions preparedTransactions();

    /** The reason why the DataSource takes no part in XA; null if it does, or if JDBC does not show it. */
    String dataSourceProblem();

    /**
     * Inserts a row for a probe, in a separate transaction outside of JTA.
     *
     * @return its sequence
     */
    long insert();

    /**
     * Settles the row as a message with this retention, in the caller's JTA transaction, with all statements of a
     * settlement. Does not write to the archive: the application need not have the right to delete rows there.
     */
    void settle(long sequence, RetentionConfig retention);

    /**
     * Deletes the row, and those that crashed processes have left unless another transaction has locked them, in a separate
     * transaction outside of JTA.
     */
    void delete(long sequence);
}
