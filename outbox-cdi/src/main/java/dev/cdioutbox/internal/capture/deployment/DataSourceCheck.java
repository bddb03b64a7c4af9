package dev.cdioutbox.internal.capture.deployment;

import java.util.UUID;

import jakarta.transaction.NotSupportedException;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.ThisNode;

/** Writes a row and looks for it, since no setting of a DataSource is a proof. Leaves no row behind. */
public final class DataSourceCheck {
    private DataSourceCheck() {}

    /**
     * Checks that a rollback of the JTA transaction removes a written row.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0208 if a row survives the rollback
     */
    public static void requireTransactions(
            OutboxStore store, UserTransaction transaction, String key, String dataSource) {
        ThisNode row = row();
        try {
            transaction.begin();
            try {
                store.writeHeartbeat(row);
            } finally {
                transaction.rollback();
            }
        } catch (NotSupportedException | SystemException e) {
            throw Problem.DATABASE_FAILED.exception(e, "trying a transaction on " + dataSource, Problem.reason(e));
        }
        if (store.deleteNode(row.id())) {
            throw Problem.NOT_TRANSACTIONAL.exception(dataSource, key);
        }
    }

    /**
     * Checks that the dispatcher's DataSource leads to the tables of the capture: otherwise no message would ever be
     * sent.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0215 if one DataSource does not see the rows of the other
     */
    public static void requireSameTables(OutboxStore capturing, OutboxStore dispatching, String dataSource) {
        boolean same;
        try {
            same = haveSameTables(capturing, dispatching);
        } catch (OutboxException e) {
            throw Problem.OTHER_TABLES.exception(e, dataSource);
        }
        if (!same) {
            throw Problem.OTHER_TABLES.exception(dataSource);
        }
    }

    /** Whether the second store finds a row that the first one has written. */
    public static boolean haveSameTables(OutboxStore written, OutboxStore other) {
        ThisNode row = row();
        written.writeHeartbeat(row);
        boolean found = false;
        try {
            found = other.deleteNode(row.id());
        } finally {
            if (!found) {
                written.deleteNode(row.id());
            }
        }
        return found;
    }

    private static ThisNode row() {
        return new ThisNode("check-" + UUID.randomUUID(), "check", "check", "check", 0, "check");
    }
}
