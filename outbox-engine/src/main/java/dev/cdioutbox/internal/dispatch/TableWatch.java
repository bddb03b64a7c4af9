package dev.cdioutbox.internal.dispatch;

import java.util.concurrent.Callable;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.dispatch.container.Environment;

/**
 * Looks whether the tables of an outbox can store events, and tells the listeners, when {@code
 * OutboxTimer.TABLE_CHECK} calls. Thread-safe.
 *
 * @param tables asks for what is wrong with them; null if nothing is
 */
record TableWatch(String outbox, Callable<String> tables, Environment environment) {

    void look() {
        String problem = problem();
        environment.notifyEach(l -> l.storeChecked(outbox, problem));
    }

    private String problem() {
        try {
            return environment.outside(tables);
        } catch (Exception e) {
            return FailureReason.of(e);
        }
    }
}
