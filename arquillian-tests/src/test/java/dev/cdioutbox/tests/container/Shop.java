package dev.cdioutbox.tests.container;

import java.util.List;
import java.util.concurrent.CompletionStage;

import jakarta.annotation.Resource;
import jakarta.ejb.SessionContext;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

/** Fires events in the ways in which an application does. */
@Stateless
public class Shop {
    @Inject
    Event<Object> events;

    @Inject
    Event<OrderShipped> shipped;

    @Resource
    SessionContext context;

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    TransactionSynchronizationRegistry registry;

    public void ship(String order, int steps) {
        for (int step = 1; step <= steps; step++) {
            shipped.fire(new OrderShipped(order, step, List.of("ä", "\"quoted\"", "🫖")));
        }
    }

    public void ship(String order, String... notes) {
        shipped.fire(new OrderShipped(order, 1, List.of(notes)));
    }

    public void park(String order) {
        events.fire(new OrderParked(order));
    }

    public void announce(String order, int steps) {
        for (int step = 1; step <= steps; step++) {
            events.fire(new OrderAnnounced(order, step));
        }
    }

    public void shipAndRollBack(String order) {
        ship(order, 1);
        context.setRollbackOnly();
    }

    public void shipAfterCommit(String order) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                ship(order, 1);
            }
        });
    }

    public void shipLate(String order) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                ship(order, 1);
            }

            @Override
            public void afterCompletion(int status) {}
        });
    }

    public void shipTooLate(String order, List<RuntimeException> refusals) {
        registry.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                try {
                    ship(order, 1);
                } catch (RuntimeException refused) {
                    refusals.add(refused);
                }
            }
        });
    }

    public void shipAndFireUnwritable(String order) {
        ship(order, 1);
        events.fire(new Unwritable());
    }

    public void shipAndFireWithoutGetters(String order) {
        ship(order, 1);
        events.fire(new WithoutGetters(order));
    }

    /**
     * Catches the exception of fire() and continues, as a careless application does. The transaction must not commit.
     */
    public RuntimeException shipAndIgnoreUnwritable(String order) {
        ship(order, 1);
        try {
            events.fire(new Unwritable());
            return null;
        } catch (RuntimeException ignored) {
            return ignored;
        }
    }

    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void shipOutside(String order) {
        ship(order, 1);
    }

    public CompletionStage<OrderShipped> shipAsync(String order) {
        return shipped.fireAsync(new OrderShipped(order, 1, List.of()));
    }
}
