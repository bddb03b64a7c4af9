package dev.cdioutbox.internal.store.lease;

import dev.cdioutbox.internal.store.dialect.Dialect;

/** The SQL of leases, built once for a table prefix and a dialect. */
public final class LeaseStatements {
    final String take;
    final String renew;
    final String giveBack;
    final String fence;

    public LeaseStatements(String prefix, Dialect dialect) {
        String partition = prefix + "partition";
        take = """
                UPDATE %s SET owner = ?, leased_until = %s
                WHERE id = ? AND (leased_until IS NULL OR leased_until <= %s)""".formatted(dialect.byPrimaryKey(partition), dialect.nowPlusMillis(), dialect.now());
        renew = "UPDATE " + dialect.byPrimaryKey(partition) + " SET leased_until = " + dialect.nowPlusMillis()
                + " WHERE owner = ? AND id IN (%s)";
        giveBack = "UPDATE " + dialect.byPrimaryKey(partition)
                + " SET owner = NULL, leased_until = NULL WHERE owner = ? AND id IN (%s)";
        fence = dialect.lock("id", dialect.byPrimaryKey(partition), "owner = ? AND id IN (%s)");
    }
}
