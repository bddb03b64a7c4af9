package dev.cdioutbox.internal.capture.deployment;

import java.util.UUID;

import jakarta.transaction.NotSupportedException;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;

/** Checks that a rollback of the JTA transaction removes a written row. No setting of the DataSource is a proof. */
public final class TransactionCheck {
    private final OutboxStore store;
    private final UserTransaction transaction;

    public TransactionCheck(OutboxStore store, UserTransaction transaction) {
        this.store = store;
        this.transaction = transaction;
    }

    /** @throws dev.cdioutbox.OutboxException OBX-0208 if a row survives the rollback */
    public void run(String key, String dataSource) {
        NodeIdentity probeNode = new NodeIdentity("check-" + UUID.randomUUID(), "check", "check", "check", 0, "check");
        writeAndRollBack(probeNode, dataSource);
        if (store.deleteNode(probeNode.id())) {
            throw Problem.NOT_TRANSACTIONAL.exception(dataSource, key);
        }
    }

    private void writeAndRollBack(NodeIdentity node, String dataSource) {
        try {
            transaction.begin();
            try {
                store.writeHeartbeat(node);
            } finally {
                transaction.rollback();
            }
        } catch (NotSupportedException | SystemException e) {
            throw Problem.DATABASE_FAILED.exception(e, "trying a transaction on " + dataSource, Problem.reason(e));
        }
    }
}
