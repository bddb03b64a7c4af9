package dev.cdioutbox.tests.handle;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.ejb.EJB;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import dev.cdioutbox.HandlerException;
import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.tests.consume.Ledger;

/** A handler of CDI, which fires an event of its own. */
@ApplicationScoped
public class Shipping {
    /** The orders whose trouble is over. */
    static final Set<String> MENDED = ConcurrentHashMap.newKeySet();

    /** Longer than the transactions of the dispatcher. */
    private static final Duration TOO_LONG = Duration.ofSeconds(6);

    @EJB
    Ledger ledger;

    @Inject
    Event<Shipped> shipped;

    @OutboxHandler("shipping")
    @Transactional
    void ship(Placed placed) throws Exception {
        ledger.book("shipping", placed.order() + " " + placed.step());
        shipped.fire(new Shipped(placed.order()));
        if (!MENDED.contains(placed.order())) {
            cause(placed.trouble());
        }
    }

    private static void cause(String trouble) throws Exception {
        switch (trouble) {
            case "fails" -> throw new IllegalStateException("no lorry");
            case "never" -> throw HandlerException.doNotRetry("no such address", null);
            case "slow" -> Thread.sleep(TOO_LONG.toMillis());
            default -> {}
        }
    }
}
