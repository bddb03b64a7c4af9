package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;

/** Looks whether the tables of an outbox can store events, and tells the listeners. Thread-safe. */
record TableWatch(String outbox, JdbcOutboxStore store, Environment environment) {

    void look() {
        String problem = problem();
        environment.notifyEach(l -> l.storeChecked(outbox, problem));
    }

    private String problem() {
        try {
            return environment.outside(store::problem);
        } catch (Exception e) {
            return FailureReason.of(e);
        }
    }
}
