package dev.cdioutbox.jms.internal;

import java.time.Duration;
import java.util.List;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.ConcurrencyManagement;
import jakarta.ejb.ConcurrencyManagementType;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.Timeout;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.capture.Outboxes;

/** Sweeps the inboxes, on every node: bounded pieces, each in a short transaction of its own. */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class InboxTimer {
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

    /** Called by the container, which never lets it overlap itself. */
    @Timeout
    void sweep() {
        sweeps.forEach(sweep -> sweep.run(() -> !stopping));
    }
}
