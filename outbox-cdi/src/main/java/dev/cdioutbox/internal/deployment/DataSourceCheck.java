package dev.cdioutbox.internal.deployment;

import java.util.UUID;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.node.NodeStore;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.schema.TextRoundTrip;

/**
 * Writes a row and looks for it, since no setting of a DataSource is a proof. The rows are rows of nodes, so that no
 * dispatcher could send one. Leaves no row behind.
 */
final class DataSourceCheck {
    private DataSourceCheck() {}

    /**
     * Checks that the dispatcher's DataSource leads to the tables of the capture: otherwise no message would ever be
     * sent.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0215 if one DataSource does not see the rows of the other
     */
    static void requireSameTables(NodeStore capturing, NodeStore dispatching, String dataSource) {
        boolean same;
        try {
            same = haveSameTables(capturing, dispatching);
        } catch (OutboxException e) {
            throw OutboxCode.OTHER_TABLES.exception(e, dataSource);
        }
        if (!same) {
            throw OutboxCode.OTHER_TABLES.exception(dataSource);
        }
    }

    /** Whether the second one finds a row that the first one has written. */
    static boolean haveSameTables(NodeStore written, NodeStore other) {
        ThisNode row = newRow();
        written.writeHeartbeat(row, 0);
        boolean found = false;
        try {
            found = other.delete(row.id());
        } finally {
            if (!found) {
                written.delete(row.id());
            }
        }
        return found;
    }

    /** A row that nobody else writes. */
    static ThisNode newRow() {
        return new ThisNode("check-" + UUID.randomUUID(), "check", "check", "check", 0, "check");
    }

    /**
     * Checks that a text comes back from the tables as it was.
     *
     * @param key the configuration key of the DataSource
     * @throws dev.cdioutbox.OutboxException OBX-0232 if letters are damaged
     */
    static void requireTexts(TextRoundTrip texts, String key, String dataSource) {
        String damage = texts.damage();
        if (damage != null) {
            throw OutboxCode.LETTERS_DAMAGED.exception(dataSource, key, damage);
        }
    }
}
