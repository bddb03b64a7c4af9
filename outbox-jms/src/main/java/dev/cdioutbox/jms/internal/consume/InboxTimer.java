package dev.cdioutbox.jms.internal.consume;

import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.EJBException;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.Timeout;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.capture.Outboxes;

/** Sweeps the inboxes, on every node, in bounded pieces with a short transaction each. */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class InboxTimer {
    private static final Logger LOG = Logger.getLogger(InboxTimer.class.getName());
    private static final Duration AT_ONCE = Duration.ofMillis(10);
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    @Resource
    TimerService timers;

    @Inject
    Outboxes outboxes;

    private volatile boolean stopping;
    private List<InboxSweep> sweeps;

    @PostConstruct
    void start() {
        sweeps = outboxes.all().stream()
                .map(outbox -> new InboxSweep(
                        outbox.store().inbox(),
                        () -> outbox.config().current().inbox().retention()))
                .toList();
        timers.createIntervalTimer(INTERVAL.toMillis(), INTERVAL.toMillis(), new TimerConfig(null, false));
    }

    @PreDestroy
    void stop() {
        stopping = true;
    }

    /**
     * The container calls this method. Many old records take many short calls, since a stopping server waits for a
     * running call.
     */
    @Timeout
    void sweep() {
        boolean more = false;
        for (InboxSweep sweep : sweeps) {
            more |= sweep.run(() -> !stopping);
        }
        if (more) {
            try {
                timers.createSingleActionTimer(AT_ONCE.toMillis(), new TimerConfig(null, false));
            } catch (IllegalStateException | EJBException refused) {
                LOG.log(Level.FINE, "the sweep of the inbox goes on with the next call", refused);
            }
        }
    }
}
