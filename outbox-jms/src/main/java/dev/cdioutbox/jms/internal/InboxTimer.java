package dev.cdioutbox.jms.internal;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

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

import dev.cdioutbox.internal.config.ConfigSource;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Inbox;

/** Sweeps the inbox, on every node: bounded pieces, each in a short transaction of its own. */
@Singleton
@Startup
@ConcurrencyManagement(ConcurrencyManagementType.BEAN)
@TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
public class InboxTimer {
    private static final Logger LOG = Logger.getLogger(InboxTimer.class.getName());
    private static final Duration INTERVAL = Duration.ofSeconds(20);
    private static final int PIECE = 1000;

    @Resource
    TimerService timers;

    @Inject
    Inbox inbox;

    @Inject
    ConfigSource config;

    private volatile boolean stopping;
    private boolean failing;

    @PostConstruct
    void start() {
        timers.createIntervalTimer(INTERVAL.toMillis(), INTERVAL.toMillis(), new TimerConfig(null, false));
    }

    @PreDestroy
    void stop() {
        stopping = true;
    }

    /** Called by the container, which never lets it overlap itself. What fails is left to the next call. */
    @Timeout
    void sweep() {
        try {
            while (!stopping && inbox.sweep(config.current().inbox().retention(), PIECE) == PIECE) {
                LOG.log(Level.FINE, "there is more in the inbox to be swept");
            }
            failing = false;
        } catch (RuntimeException e) {
            LOG.log(failing ? Level.FINE : Level.WARNING, Problem.INBOX_NOT_SWEPT.text(Problem.reason(e)));
            failing = true;
        }
    }
}
