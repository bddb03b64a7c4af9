package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.Set;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxKey;
import org.junit.jupiter.api.Test;

/** Guards that each event class has one stable type, and that two classes cannot share a name. */
class EventTypesTest {
    private final EventTypes types = new EventTypes();

    @OutboxEvent(type = "order.copied")
    record Copied(String id) {}

    @OutboxEvent
    record Placed(@OutboxKey String id) {}

    @OutboxEvent(
            type = "order-paid",
            version = 3,
            aggregateType = "Order",
            destination = {"audit", "default", "audit"})
    static class Paid {
        @OutboxKey
        String id = "paid-1";
    }

    static class PaidByCard extends Paid {}

    @OutboxEvent(type = "own")
    static class PaidTwice extends Paid {}

    @OutboxEvent
    interface Shipped {
        @OutboxKey
        String id();
    }

    interface ShippedByShip extends Shipped {}

    static class Parcel implements ShippedByShip {
        @Override
        public String id() {
            return "parcel-1";
        }
    }

    static class Container extends Parcel {}

    @OutboxEvent
    interface Returned {}

    record ReturnedParcel(@OutboxKey String parcel) implements Returned {}

    record ReturnedOrder(@OutboxKey String order) implements Returned {}

    static final class Elsewhere {
        @OutboxEvent
        record Placed(String id) {}
    }

    @Test
    void annotationIsReadAndItsDefaultsAreFilledIn() {
        EventType placed = types.register(Placed.class);
        assertThat(placed.name()).isEqualTo("Placed");
        assertThat(placed.version()).isEqualTo(1);
        assertThat(placed.aggregateType()).isNull();
        assertThat(placed.destinations()).isEmpty();
        assertThat(placed.key().name()).isEqualTo("id");

        EventType paid = types.register(Paid.class);
        assertThat(paid.name()).isEqualTo("order-paid");
        assertThat(paid.version()).isEqualTo(3);
        assertThat(paid.aggregateType()).isEqualTo("Order");
        assertThat(paid.destinations()).containsExactly("audit", "default");
    }

    @Test
    void eventsOfOthersAreNone() {
        assertThat(of("a string")).isEmpty();
        assertThat(of(new Object())).isEmpty();
        assertThat(types.all()).isEmpty();
    }

    @Test
    void typeThatNoOneDiscoveredIsFoundWhenItIsFired() {
        assertThat(of(new Placed("1"))).isPresent();
        assertThat(of(new Placed("2")).orElseThrow())
                .isSameAs(of(new Placed("1")).orElseThrow());
        assertThat(types.all()).hasSize(1);
    }

    @Test
    void subclassIsAnEventOfTheTypeItExtends() {
        types.register(Paid.class);

        assertThat(name(new PaidByCard())).isEqualTo("order-paid");
        assertThat(of(new PaidByCard()).orElseThrow().key().read(new PaidByCard()))
                .isEqualTo("paid-1");
        assertThat(name(new PaidTwice())).as("an annotation of its own").isEqualTo("own");
        assertThat(types.all()).hasSize(2);
    }

    @Test
    void implementationIsAnEventOfTheInterfaceHoweverFarAway() {
        assertThat(name(new Parcel())).isEqualTo("Shipped");
        assertThat(name(new Container())).isEqualTo("Shipped");
        assertThat(of(new Container()).orElseThrow().key().read(new Container()))
                .isEqualTo("parcel-1");
        assertThat(types.all()).hasSize(1);
    }

    @Test
    void keyMayStandOnTheClassThatIsFired() {
        types.register(Returned.class);
        Object parcel = new ReturnedParcel("parcel-1");
        Object order = new ReturnedOrder("order-1");

        assertThat(of(parcel).orElseThrow().key().read(parcel)).isEqualTo("parcel-1");
        assertThat(of(order).orElseThrow().key().read(order)).isEqualTo("order-1");
        assertThat(name(order)).isEqualTo("Returned");
    }

    @Test
    void generatedClassesKeepTheStableName() {
        assertThat(name(new Paid() {})).isEqualTo("order-paid");
        Shipped lambda = () -> "lambda";
        assertThat(name(lambda)).isEqualTo("Shipped");
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ShippedByShip.class}, (p, method, arguments) -> "proxy");
        assertThat(name(proxy)).isEqualTo("Shipped");
    }

    @Test
    void typesWithOneNameAreRefused() {
        types.register(Placed.class);
        types.register(Placed.class);

        assertThatThrownBy(() -> types.register(Elsewhere.Placed.class))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0204: event type 'Placed' is claimed by " + Placed.class.getName())
                .hasMessageContaining(Elsewhere.Placed.class.getName());
        assertThatThrownBy(() -> of(new Elsewhere.Placed("1"))).hasMessageStartingWith("OBX-0204");
    }

    /** A WAR and a shared library may both contain the class. */
    @Test
    void copiesOfOneClassAreToldApartByTheirLoaders() throws ClassNotFoundException {
        Class<?> copy = new CopyLoader(Copied.class).loadClass(Copied.class.getName());
        types.register(Copied.class);

        assertThatThrownBy(() -> types.register(copy))
                .hasMessageContaining(
                        "%1$s (loaded by %2$s) and by %1$s (loaded by copies)",
                        Copied.class.getName(), Copied.class.getClassLoader());
    }

    /** Loads its own copy of one class, and all other classes by the tests' loader. */
    private static final class CopyLoader extends ClassLoader {
        private final Class<?> original;

        CopyLoader(Class<?> original) {
            super(original.getClassLoader());
            this.original = original;
        }

        @Override
        public Class<?> loadClass(String name) throws ClassNotFoundException {
            if (!name.equals(original.getName())) {
                return super.loadClass(name);
            }
            String file = "/" + name.replace('.', '/') + ".class";
            try (InputStream code = original.getResourceAsStream(file)) {
                byte[] bytes = code.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String toString() {
            return "copies";
        }
    }

    private Optional<EventType> of(Object event) {
        return types.of(event, Set.of());
    }

    private String name(Object event) {
        return of(event).orElseThrow().name();
    }

    @OutboxEvent
    static class Annotated {}

    static class Plain {}

    static class Extended extends Annotated {}

    @OutboxEvent
    interface AnnotatedInterface {}

    interface Between extends AnnotatedInterface {}

    static class Implemented implements Between {}

    /** The loader of EAR/lib, for example, does not see the outbox in a WAR. */
    @Test
    void annotationHiddenByAClassLoaderIsRefused() throws Exception {
        Object event = isolated(Annotated.class);
        assertThat(event.getClass().getAnnotations()).isEmpty();

        assertThatThrownBy(() -> new EventTypes().of(event, Set.of()))
                .hasMessageStartingWith("OBX-0118: event " + Annotated.class.getName());
    }

    @Test
    void hiddenAnnotationIsFoundOnASuperclass() throws Exception {
        assertThatThrownBy(() -> new EventTypes().of(isolated(Extended.class), Set.of()))
                .hasMessageStartingWith("OBX-0118");
    }

    @Test
    void hiddenAnnotationIsFoundOnAParentOfAnInterface() throws Exception {
        assertThatThrownBy(() -> new EventTypes().of(isolated(Implemented.class), Set.of()))
                .hasMessageStartingWith("OBX-0118");
    }

    @Test
    void hiddenAnnotationOfAnotherLibraryIsLeftAlone() throws Exception {
        Object event = isolated(Plain.class);

        assertThatCode(() -> new EventTypes().of(event, Set.of())).doesNotThrowAnyException();
        assertThatCode(() -> new EventTypes().of("a string", Set.of())).doesNotThrowAnyException();
    }

    /** Another WAR of the same EAR has the annotation class of its own outbox. */
    @Test
    void eventOfAnotherOutboxIsLeftAlone() throws Exception {
        Object event = instance(Annotated.class, new IsolatedLoader(OutboxEvent.class.getName()));
        assertThat(event.getClass().getAnnotations()).isNotEmpty();

        assertThat(new EventTypes().of(event, Set.of())).isEmpty();
    }

    private static Object isolated(Class<?> type) throws Exception {
        return instance(type, new IsolatedLoader("none"));
    }

    private static Object instance(Class<?> type, ClassLoader loader) throws Exception {
        Class<?> there = loader.loadClass(type.getName());
        var constructor = there.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    /** Loads the classes of this test itself, and one other class of the project. */
    private static final class IsolatedLoader extends ClassLoader {
        private final String other;

        IsolatedLoader(String other) {
            super(ClassLoader.getPlatformClassLoader());
            this.other = other;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.startsWith(EventTypesTest.class.getName()) && !name.equals(other)) {
                throw new ClassNotFoundException(name);
            }
            try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            return EventTypesTest.class.getClassLoader().getResourceAsStream(name);
        }
    }
}
