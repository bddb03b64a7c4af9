package dev.cdioutbox.sample;

import static dev.cdioutbox.testing.ExpectedEvent.event;
import static dev.cdioutbox.testing.ExpectedEvent.eventOf;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;

import dev.cdioutbox.testing.Captured;
import dev.cdioutbox.testing.CapturedEvents;
import org.jboss.weld.junit5.EnableWeld;
import org.jboss.weld.junit5.WeldInitiator;
import org.jboss.weld.junit5.WeldSetup;
import org.junit.jupiter.api.Test;

/** The events of an order, without a server. */
@EnableWeld
class OrderServiceTest {
    private static final PlaceOrder TEA = new PlaceOrder("ada", "tea", BigDecimal.valueOf(2), null);

    private final Map<String, Order> stored = new ConcurrentHashMap<>();

    @WeldSetup
    WeldInitiator weld = WeldInitiator.from(
                    WeldInitiator.createWeld().addBeanClass(OrderService.class).extensions(CapturedEvents.extensions()))
            .setPersistenceContextFactory(injectionPoint -> entities())
            .build();

    @Inject
    OrderService orders;

    @Inject
    CapturedEvents outbox;

    @Test
    void orderThatIsPlacedIsOneEventWithTheOrdersIdAsItsKey() {
        Captured<OrderView> placed = outbox.during(() -> orders.place(TEA));

        placed.assertExactly(
                eventOf(OrderPlaced.class, order -> order.customer().equals("ada"))
                        .withKey(placed.result().id()));
        assertEquals(
                List.of(new OrderPlaced.Line("tea", 2)),
                placed.of(OrderPlaced.class).get(0).lines());
    }

    @Test
    void orderThatFailsLeavesItsEventToTheRollback() {
        outbox.during(() -> assertThrows(PretendedFailure.class, () -> orders.placeAndFail(TEA)))
                .assertExactly(eventOf(OrderPlaced.class));
    }

    @Test
    void lookingFiresNothing() {
        String id = orders.place(TEA).id();

        outbox.during(() -> orders.get(id)).assertExactly();
    }

    /** The order collects this event, and the server's entity listener fires it. */
    @Test
    void cancelledOrderHasOneEventMore() {
        String id = orders.place(TEA).id();
        orders.cancel(id);
        OrderCancelled cancelled =
                (OrderCancelled) stored.get(id).takeEvents().iterator().next();

        outbox.during(() -> outbox.event(OrderCancelled.class).fire(cancelled))
                .assertExactly(event(cancelled).withKey(id));
    }

    /** Keeps orders in a map. */
    private EntityManager entities() {
        return (EntityManager) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {EntityManager.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "persist" -> stored.put(((Order) arguments[0]).id(), (Order) arguments[0]);
                        case "find" -> {
                            return stored.get(arguments[1]);
                        }
                        case "flush", "close" -> {
                            return null;
                        }
                        case "isOpen" -> {
                            return true;
                        }
                        case "hashCode" -> {
                            return 1;
                        }
                        default -> throw new UnsupportedOperationException(method.getName());
                    }
                    return null;
                });
    }
}
