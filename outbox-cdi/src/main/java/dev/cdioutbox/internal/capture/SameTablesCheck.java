package dev.cdioutbox.internal.capture;

import java.util.UUID;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.NodeIdentity;
import dev.cdioutbox.internal.store.OutboxStore;

/** Tries whether the dispatcher's DataSource leads to the tables that capture writes: else nothing would ever be sent. */
final class SameTablesCheck {
    private SameTablesCheck() {}

    /** @throws dev.cdioutbox.OutboxException OBX-0215 if a row that one has written is not seen by the other */
    static void run(OutboxStore capturing, OutboxStore dispatching, String dataSource) {
        NodeIdentity nobody = new NodeIdentity("check-" + UUID.randomUUID(), "check", "check", 0, "check");
        capturing.touch(nobody);
        try {
            if (!dispatching.forget(nobody)) {
                throw Problem.OTHER_TABLES.exception(dataSource);
            }
        } catch (OutboxException e) {
            capturing.forget(nobody);
            throw e.code().equals(Problem.OTHER_TABLES.code()) ? e : Problem.OTHER_TABLES.exception(e, dataSource);
        }
    }
}
