package dev.cdioutbox.internal.ejb;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import jakarta.ejb.EJBException;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;

import dev.cdioutbox.internal.code.Lines;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.StoreConfig.Cdc;
import dev.cdioutbox.internal.dispatch.DestinationWorker;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.DeadLetterOperations;
import dev.cdioutbox.internal.operate.TransactionalOperations;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.operate.OutboxFinding;
import dev.cdioutbox.spi.DestinationId;

/**
 * One outbox on this node, with its timers. Its dispatcher begins when the tables are there: at the start, or at a later look
 * at them. Thread-safe.
 */
final class DispatchedOutbox {
    private static final Logger LOG = Logger.getLogger(DispatchedOutbox.class.getName());

    private final OutboxInstance outbox;
    private final TimerService timers;
    private final Gauges gauges;
    private final TransactionalOperations operations;
    private final DeadLetterOperations deadLetters;
    private final Function<OutboxInstance, Dispatcher> assembly;

    /** By the names of their destinations. */
    private final Map<String, WorkerTimer> workers = new ConcurrentHashMap<>();
    /** Null until the tables are there. */
    private volatile Dispatcher dispatcher;

    /** Belongs to a timer, and tells what it calls. */
    record Call(String outbox, OutboxTimer timer) implements Serializable {}

    /** @param assembly makes the dispatcher of an outbox whose tables are there */
    DispatchedOutbox(
            OutboxInstance outbox,
            TimerService timers,
            Gauges gauges,
            TransactionalOperations operations,
            DeadLetterOperations deadLetters,
            Function<OutboxInstance, Dispatcher> assembly) {
        this.outbox = outbox;
        this.timers = timers;
        this.gauges = gauges;
        this.operations = operations;
        this.deadLetters = deadLetters;
        this.assembly = assembly;
    }

    void start() {
        gauges.expectTicks(outbox.name());
        checkTables();
        for (OutboxTimer timer : OutboxTimer.values()) {
            if (timer.period != null) {
                timers.createIntervalTimer(
                        timer.first.toMillis(), timer.period.toMillis(), new TimerConfig(call(timer), false));
            }
        }
    }

    private Call call(OutboxTimer timer) {
        return new Call(outbox.name(), timer);
    }

    private void callOnce(OutboxTimer timer) {
        timers.createSingleActionTimer(timer.first.toMillis(), new TimerConfig(call(timer), false));
    }

    /** Works in many short calls instead of a long one: a stopping server waits for a running call. */
    private void callAtOnce(OutboxTimer timer) {
        try {
            callOnce(timer);
        } catch (IllegalStateException | EJBException refused) {
            LOG.log(Level.FINE, refused, () -> timer + " goes on with its next call");
        }
    }

    Optional<Dispatcher> dispatcher() {
        return Optional.ofNullable(dispatcher);
    }

    WorkerTimer worker(String destination) {
        return workers.get(destination);
    }

    /** Checks the tables, and begins to dispatch if they are there now. */
    void checkTables() {
        if (dispatcher != null) {
            dispatcher.checkTables();
            return;
        }
        String problem = outbox.isStoreOpen() ? null : outbox.problem();
        if (problem == null) {
            begin(assembly.apply(outbox));
        } else {
            gauges.storeChecked(outbox.name(), problem);
        }
    }

    void begin(Dispatcher begun) {
        begun.workers().forEach((name, worker) -> workers.put(name, new WorkerTimer(worker, timers)));
        begun.useTimer((worker, delay) -> workers.get(worker.id().name()).callAfter(delay));
        tick(begun);
        logBegin(begun);
        begun.writeHeartbeat();
        workers.values().forEach(WorkerTimer::start);
        outbox.captured().add(begun::wake);
        // The housekeeping timer uses what stands above.
        dispatcher = begun;
        callOnce(OutboxTimer.DIAGNOSIS);
    }

    private void logBegin(Dispatcher begun) {
        Map<DispatcherConfig, List<DestinationId>> destinations = begun.workers().values().stream()
                .collect(Collectors.groupingBy(
                        DestinationWorker::config, Collectors.mapping(DestinationWorker::id, Collectors.toList())));
        destinations.forEach((config, ids) -> LOG.info(OutboxCode.DISPATCHER_STARTED.text(
                config.enabled() ? "started" : "is off, messages accumulate",
                ids,
                config.interval().toString(),
                config.delivery(),
                config.lease() == null ? "lock" : "lease of " + config.lease())));
        Cdc cdc = outbox.config().current().store().cdc();
        if (!cdc.destinations().isEmpty()) {
            LOG.info(OutboxCode.CDC_STARTED.text(cdc.destinations(), cdc.slot()));
        }
    }

    /** The timer counts as alive, too, while a lack of usable tables leaves no dispatcher: a restart would not bring them. */
    void housekeep() {
        dispatcher()
                .ifPresentOrElse(
                        own -> {
                            tick(own);
                            workers.values().forEach(WorkerTimer::applyConfig);
                            own.workers().values().forEach(DestinationWorker::checkStalled);
                        },
                        gauges::ticked);
    }

    private void tick(Dispatcher own) {
        own.tick();
        outbox.config().refresh();
    }

    /** The copies of a backfill have another timer, because the next look at the backlog must not wait for them. */
    void refreshBacklog() {
        dispatcher().ifPresent(own -> {
            own.refreshBacklog();
            if (own.mayBackfill()) {
                callAtOnce(OutboxTimer.BACKFILL);
            }
        });
    }

    void backfill() {
        repeat(OutboxTimer.BACKFILL, Dispatcher::backfill);
    }

    void purge() {
        repeat(OutboxTimer.PURGE, Dispatcher::purge);
    }

    private void repeat(OutboxTimer timer, Predicate<Dispatcher> hasMore) {
        dispatcher().ifPresent(own -> {
            if (hasMore.test(own)) {
                callAtOnce(timer);
            }
        });
    }

    void countDeadLetters() {
        deadLetters.look(outbox);
    }

    void diagnose() {
        List<OutboxFinding> found = operations.outbox(outbox.name()).diagnose();
        if (!found.isEmpty()) {
            String lines = found.stream().map(finding -> "\n  " + finding).collect(Collectors.joining());
            LOG.warning(OutboxCode.FINDINGS.text(outbox.name(), found.size(), new Lines(lines)));
        }
    }
}
