package dev.cdioutbox.internal.store;

/** The SQL of leases, built once for a table prefix and a dialect. */
final class LeaseStatements {
    final String take;
    private final String renew;
    private final String giveBack;
    private final String fence;

    LeaseStatements(String prefix, Dialect dialect) {
        String partition = prefix + "partition";
        take = """
                UPDATE %s SET owner = ?, leased_until = %s
                WHERE id = ? AND (leased_until IS NULL OR leased_until <= %s)""".formatted(dialect.byKey(partition), dialect.nowPlusMillis(), dialect.now());
        renew = "UPDATE " + dialect.byKey(partition) + " SET leased_until = " + dialect.nowPlusMillis()
                + " WHERE owner = ? AND id IN (%s)";
        giveBack = "UPDATE " + dialect.byKey(partition)
                + " SET owner = NULL, leased_until = NULL WHERE owner = ? AND id IN (%s)";
        fence = dialect.lock("id", dialect.byKey(partition), "owner = ? AND id IN (%s)");
    }

    String renew(int partitions) {
        return renew.formatted(Statements.marks(partitions));
    }

    String giveBack(int partitions) {
        return giveBack.formatted(Statements.marks(partitions));
    }

    String fence(int partitions) {
        return fence.formatted(Statements.marks(partitions));
    }
}
