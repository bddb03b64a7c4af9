package dev.cdioutbox.tests.inbox;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import jakarta.ejb.EJB;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import dev.cdioutbox.MessageAbandoned;
import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.tests.consume.Ledger;

/** Handles what the message-driven bean has accepted. */
@ApplicationScoped
public class Arrivals {
    /** The orders for which it fails. */
    static final Set<String> IN_TROUBLE = ConcurrentHashMap.newKeySet();

    /** The received ids of the messages of which the application was told that they are abandoned. */
    static final Queue<String> ABANDONED = new ConcurrentLinkedQueue<>();

    @EJB
    Ledger ledger;

    @OutboxHandler(value = "arrivals", types = "Arrived")
    void arrive(Arrived arrived) {
        ledger.book("arrivals", arrived.order() + " " + arrived.step());
        if (IN_TROUBLE.contains(arrived.order())) {
            throw new IllegalStateException("no room");
        }
    }

    void abandoned(@Observes MessageAbandoned message) {
        ABANDONED.add(message.context().causationId());
    }
}
