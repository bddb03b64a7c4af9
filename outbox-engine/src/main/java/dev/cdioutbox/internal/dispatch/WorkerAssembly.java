package dev.cdioutbox.internal.dispatch;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.crash.CrashRecovery;
import dev.cdioutbox.internal.dispatch.opening.DestinationOpening;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * Assembles the workers of one outbox.
 *
 * @param publishers the application's publishers by their transports
 * @param current supplies the current configuration
 * @param idleLook asks for all workers whether anything waits
 * @param livingNodes the number of processes that dispatch these messages; 0 if it is unknown
 */
record WorkerAssembly(
        JdbcOutboxStore store,
        Map<String, OutboxPublisher> publishers,
        Supplier<OutboxConfig> current,
        Environment environment,
        CrashRecovery crashRecovery,
        IdleLook idleLook,
        AtomicInteger livingNodes) {

    /** @param inDoubt is told which rows the claims of this worker find in doubt */
    DestinationWorker worker(DestinationId id, InDoubtMonitor inDoubt) {
        boolean isLocal = current.get().destinations().get(id.name()).isLocal();
        // The work of a handler and the settlement of its message have to be one branch.
        JdbcOutboxStore settling = isLocal ? store.ofTheApplication() : store;
        DestinationOpening opening =
                new DestinationOpening(id, store, settling, publishers, environment, crashRecovery);
        DueMessages dueMessages = new DueMessages(
                () -> environment.outside(() -> store.delayed().release(id.name())),
                () -> environment.outside(() -> store.delayed().untilNextDue(id.name())),
                environment.nanos());
        DeliveryCycle cycle = new DeliveryCycle(
                environment, store.claims(), idleLook, dueMessages, inDoubt, crashRecovery.of(id.name()), livingNodes);
        return new DestinationWorker(id, current, environment, store.claims(), opening, cycle, dueMessages);
    }
}
