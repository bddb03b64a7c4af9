package dev.cdioutbox.internal.capture.deployment;

import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Checks that the outboxes of an application have separate tables. Two DataSources may lead to one database, and then
 * each outbox would send the other's messages to its own destinations.
 */
public final class DistinctTablesCheck {
    private final List<Opened> opened = new ArrayList<>();

    /** @throws dev.cdioutbox.OutboxException OBX-0201 if an outbox that was added before has the same tables */
    public void add(String name, StoreConfig config, OutboxStore store) {
        // With outbox.schema=none the tables are not checked.
        if (config.schema() == SchemaMode.NONE) {
            return;
        }
        for (Opened other : opened) {
            if (other.application().equals(config.application())
                    && DataSourceCheck.haveSameTables(store, other.store())) {
                throw Problem.BAD_CONFIGURATION.exception(" the outboxes '" + other.name() + "' and '" + name
                        + "' have the same tables, by two DataSources, and one application;"
                        + " give one of them another table-prefix or application.");
            }
        }
        opened.add(new Opened(name, config.application(), store));
    }

    private record Opened(String name, String application, OutboxStore store) {}
}
