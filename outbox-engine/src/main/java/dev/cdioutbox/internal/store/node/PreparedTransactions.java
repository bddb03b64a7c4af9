package dev.cdioutbox.internal.store.node;

/**
 * How many transactions the database can keep prepared at a time, and how many it does now. All databases and
 * applications of one server share them.
 */
public record PreparedTransactions(int limit, int inUse) {

    /** Whether the database forbids them. */
    public boolean isForbidden() {
        return limit == 0;
    }

    /** Whether no further transaction can be prepared now. */
    public boolean isExhausted() {
        return inUse >= limit;
    }
}
