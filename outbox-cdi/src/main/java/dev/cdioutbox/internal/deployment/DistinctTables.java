package dev.cdioutbox.internal.deployment;

import java.util.List;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.outbox.OutboxInstance;

/**
 * Refuses two outboxes with the same tables and application: each would send the other's messages to its own destinations. Two
 * DataSources may lead to one database, and two names to the same tables.
 */
final class DistinctTables {
    private DistinctTables() {}

    /** @throws dev.cdioutbox.OutboxException OBX-0201 if two outboxes have the same tables and application */
    static void require(List<OutboxInstance> outboxes) {
        for (int second = 1; second < outboxes.size(); second++) {
            for (OutboxInstance first : outboxes.subList(0, second)) {
                requireDistinct(first, outboxes.get(second));
            }
        }
    }

    private static void requireDistinct(OutboxInstance first, OutboxInstance second) {
        StoreConfig one = first.config().current().store();
        StoreConfig other = second.config().current().store();
        if (one.application().equals(other.application())
                && (haveSameSettings(one, other) || areChecked(one, other) && haveSameTables(first, second))) {
            throw OutboxCode.BAD_CONFIGURATION.exception(" the outboxes '" + first.name() + "' and '" + second.name()
                    + "' have the same tables and one application;"
                    + " give one of them another DataSource, table-prefix or application.");
        }
    }

    private static boolean haveSameSettings(StoreConfig one, StoreConfig other) {
        return one.dataSource().equals(other.dataSource()) && one.tablePrefix().equalsIgnoreCase(other.tablePrefix());
    }

    /** With {@code outbox.schema=none}, the start does not touch the tables. */
    private static boolean areChecked(StoreConfig one, StoreConfig other) {
        return one.schema() != SchemaMode.NONE && other.schema() != SchemaMode.NONE;
    }

    private static boolean haveSameTables(OutboxInstance first, OutboxInstance second) {
        return DataSourceCheck.haveSameTables(
                second.store().nodes(), first.store().nodes());
    }
}
