package dev.cdioutbox.testing;

import static dev.cdioutbox.testing.ExpectedEvent.event;
import static dev.cdioutbox.testing.ExpectedEvent.eventOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.annotation.Annotation;
import java.util.Hashtable;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.naming.Context;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.spi.InitialContextFactory;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxMetadata;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;

/** Guards that a test of an application sees the events that a server's outbox would store, with their keys. */
public class CapturedEventsTest {

    @OutboxEvent(version = 2, aggregateType = "Order", destination = "orders")
    public record Placed(@OutboxKey String id, int items) {}

    @OutboxEvent
    public record Counted(int total) {}

    public record Plain(String id) {}

    @OutboxEvent
    public record Nested(@OutboxKey String id, Nested next) {}

    /** JSON-B cannot write an object that contains itself. */
    @OutboxEvent
    public static class Endless {
        public Endless getSelf() {
            return this;
        }
    }

    /** Fires events as a bean of an application does. */
    @ApplicationScoped
    public static class Desk {
        private final Event<Object> events;
        private final Event<Plain> named;

        @Inject
        public Desk(Event<Object> events, @OutboxEvent(type = "PlainNamed", key = "id") Event<Plain> named) {
            this.events = events;
            this.named = named;
        }

        /** The client proxy needs this constructor. */
        protected Desk() {
            this(null, null);
        }

        public String place(String id) {
            events.fire(new Placed(id, 3));
            events.fire("of no interest");
            events.fire(new Counted(1));
            return "placed " + id;
        }

        public void name(String id) {
            named.fire(new Plain(id));
        }

        public void fire(Object event) {
            events.fire(event);
        }

        public void fireAsync(Object event) {
            events.fireAsync(event).toCompletableFuture().join();
        }

        public void describe(Object event, String... types) {
            Annotation[] all = Stream.of(types).map(OutboxEvent.Literal::of).toArray(Annotation[]::new);
            events.select(all).fire(event);
        }

        public void describeAgain(Plain event) {
            named.select(OutboxEvent.Literal.of("Other")).fire(event);
        }

        public void refuse() throws IOException {
            throw new IOException("refused");
        }
    }

    @OutboxEvent(destination = "local")
    public record Delivered(@OutboxKey String id) {}

    /** Fires an event of its own. */
    @ApplicationScoped
    public static class Lorry {
        @Inject
        Event<Delivered> delivered;

        @OutboxHandler("lorry")
        void deliver(Placed placed) {
            delivered.fire(new Delivered(placed.id()));
        }

        @OutboxHandler("letter")
        void write(Delivered event) {
            throw new IllegalStateException("no paper for " + event.id());
        }
    }

    @ApplicationScoped
    public static class Tenant implements OutboxEnricher {
        @Override
        public void enrich(Object event, OutboxMetadata metadata) {
            metadata.tenantId("blue");
            metadata.header("region", "north");
        }
    }

    @Test
    void capturedEventIsHandedToItsHandlersWhichFireAnotherOne() throws Exception {
        try (WeldContainer container = container(new Weld().addBeanClasses(Lorry.class))) {
            Desk desk = container.select(Desk.class).get();
            CapturedEvents outbox = container.select(CapturedEvents.class).get();
            CapturedEvent placed =
                    outbox.during(() -> desk.place("o-1")).events().get(0);

            Captured<List<String>> handled = outbox.during(() -> outbox.handle(placed));

            assertThat(placed.destinations()).containsExactly("orders", "lorry");
            assertThat(handled.result()).containsExactly("lorry");
            handled.assertExactly(event(new Delivered("o-1")).withKey("o-1"));
            CapturedEvent delivered = handled.events().get(0);
            assertThat(delivered.destinations()).containsExactly("letter");
            assertThat(delivered.headers()).containsEntry("generation", "2");
            assertThatThrownBy(() -> outbox.handle(delivered)).hasMessage("no paper for o-1");
        }
    }

    @Test
    void eventForHandlersIsCapturedWithoutAContainerToo() {
        CapturedEvents outbox = CapturedEvents.create();

        outbox.event(Delivered.class).fire(new Delivered("o-1"));

        assertThat(outbox.all()).hasSize(1);
        assertThatThrownBy(() -> outbox.handle(outbox.all().get(0))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void callInAContainerWithDiscoveryIsShownWithItsEventsAndKeys() {
        inContainer((desk, outbox) -> {
            Captured<String> placed = outbox.during(() -> desk.place("o-1"));

            placed.assertExactly(
                    event(new Placed("o-1", 3)).withKey("o-1"),
                    event(new Counted(1)).withKey(null));
            assertThat(placed.result()).isEqualTo("placed o-1");
            assertThat(placed.of(Placed.class)).containsExactly(new Placed("o-1", 3));
            outbox.during(() -> desk.name("p-1"))
                    .assertExactly(eventOf(Plain.class).withKey("p-1"));
            outbox.during(() -> desk.fire("of no interest")).assertExactly();
            assertThat(outbox.all()).hasSize(3);
        });
    }

    @Test
    void eventIsTheMessageThatTheOutboxWouldStore() {
        inContainer((desk, outbox) -> {
            CapturedEvent captured = outbox.during(() -> desk.fire(new Placed("o-1", 3)))
                    .events()
                    .get(0);

            assertThat(captured.description()).isEqualTo(new StoredMessage.Event("Placed", 2, "Order", "o-1"));
            assertThat(captured.body().text()).isEqualTo("{\"id\":\"o-1\",\"items\":3}");
            assertThat(captured.tenantId()).isEqualTo("blue");
            assertThat(captured.headers()).containsExactly(Map.entry("region", "north"));
            assertThat(captured.destinations()).containsExactly("orders");
        });
    }

    /** A record that is nested too deeply is public already. The advice must hold for each cause. */
    @Test
    void refusalOfAnEventThatJsonBCannotWriteNamesTheCauseAndWhatItWrites() {
        Nested nested = null;
        for (int i = 0; i < 1_001; i++) {
            nested = new Nested("o-1", nested);
        }
        Nested deep = nested;
        inContainer((desk, outbox) -> assertThatThrownBy(() -> desk.fire(deep))
                .hasMessageStartingWith("OBX-0108")
                .message()
                .contains("it is nested too deeply, or contains itself.")
                .doesNotContain("Make it a public record"));
    }

    @Test
    void eventThatTheServerWouldRefuseIsRefused() {
        inContainer((desk, outbox) -> {
            assertThatThrownBy(() -> desk.fire(new Placed(null, 3))).hasMessageStartingWith("OBX-0105");
            assertThatThrownBy(() -> desk.fire(new Endless())).hasMessageStartingWith("OBX-0108");
            assertThatThrownBy(() -> desk.fireAsync(new Counted(1))).rootCause().hasMessageStartingWith("OBX-0102");
            assertThat(outbox.all()).isEmpty();
        });
    }

    @Test
    void differenceIsReportedWithBothLists() {
        CapturedEvents outbox = CapturedEvents.create();
        Desk desk = plain(outbox);

        Captured<Void> captured = outbox.during(() -> desk.fire(new Placed("o-1", 3)));

        assertThatThrownBy(
                        () -> captured.assertExactly(event(new Placed("o-1", 3)).withKey("o-2")))
                .isInstanceOf(AssertionError.class)
                .hasMessage("expected exactly:\n  Placed[id=o-1, items=3] with key o-2\n"
                        + "but captured:\n  Placed[id=o-1, items=3] with key o-1\n");
        assertThatThrownBy(captured::assertExactly)
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("expected exactly no event, but captured:");
        assertThatThrownBy(() -> captured.assertExactly(event(new Counted(1)))).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> captured.assertExactly(eventOf(Placed.class, placed -> placed.items() > 3)))
                .isInstanceOf(AssertionError.class);
        captured.assertExactly(eventOf(Placed.class, placed -> placed.items() == 3));
    }

    @Test
    void classUnderTestNeedsNoContainer() {
        CapturedEvents outbox = CapturedEvents.create();
        Desk desk = plain(outbox);

        outbox.during(() -> desk.place("o-1"))
                .assertExactly(event(new Placed("o-1", 3)).withKey("o-1"), event(new Counted(1)));
        outbox.during(() -> desk.name("p-1"))
                .assertExactly(event(new Plain("p-1")).withKey("p-1"));
        assertThatThrownBy(() -> desk.fire(new Endless())).hasMessageStartingWith("OBX-0108");
        assertThatThrownBy(() -> desk.fireAsync(new Counted(1))).rootCause().hasMessageStartingWith("OBX-0102");
        assertThatThrownBy(() -> outbox.during(desk::refuse)).isInstanceOf(IOException.class);
    }

    @Test
    void severalDescriptionsOfOneEventAreRefusedAsInAContainer() {
        Plain event = new Plain("p-1");
        Check refused = (desk, outbox) -> {
            assertThatThrownBy(() -> desk.describe(event, "One", "Other")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> desk.describeAgain(event)).isInstanceOf(IllegalArgumentException.class);
            assertThat(outbox.all()).isEmpty();
        };
        CapturedEvents outbox = CapturedEvents.create();

        refused.run(plain(outbox), outbox);
        inContainer(refused);
    }

    /** On a server with a test's jar in the application, the outbox must not lose an event to the recorder. */
    @Test
    void recorderStaysAsideWhereThereIsANamingService() {
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, EmptyNames.class.getName());
        try {
            // Without discovery: with it, the beans of the outbox would fail first, since no server is really there.
            assertThatThrownBy(() -> container(new Weld().disableDiscovery().extensions(CapturedEvents.extensions())))
                    .hasStackTraceContaining("OBX-0221");
        } finally {
            System.clearProperty(Context.INITIAL_CONTEXT_FACTORY);
        }
        assertThatThrownBy(() -> new CapturedEvents().all()).isInstanceOf(IllegalStateException.class);
    }

    /** On a server, the real outbox captures; an empty list would pass a test that must fail. */
    @Test
    void eventForAClassUnderTestDoesNotStartTheRecorder() {
        CapturedEvents outbox = new CapturedEvents();

        outbox.event(String.class);

        assertThatThrownBy(outbox::all).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> outbox.during(() -> {})).isInstanceOf(IllegalStateException.class);
    }

    /** A naming service that knows no name. */
    public static final class EmptyNames implements InitialContextFactory {
        @Override
        public Context getInitialContext(Hashtable<?, ?> environment) throws NamingException {
            throw new NameNotFoundException();
        }
    }

    private interface Check {
        void run(Desk desk, CapturedEvents outbox);
    }

    private static void inContainer(Check check) {
        try (WeldContainer container = container()) {
            check.run(
                    container.select(Desk.class).get(),
                    container.select(CapturedEvents.class).get());
        }
    }

    private static WeldContainer container() {
        return container(new Weld());
    }

    private static WeldContainer container(Weld weld) {
        return weld.addBeanClasses(Desk.class, Tenant.class).initialize();
    }

    private static Desk plain(CapturedEvents outbox) {
        return new Desk(
                outbox.event(Object.class),
                outbox.event(Plain.class, OutboxEvent.Literal.of("PlainNamed").withKey("id")));
    }
}
