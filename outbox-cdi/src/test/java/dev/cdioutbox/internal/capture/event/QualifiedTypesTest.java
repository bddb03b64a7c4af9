package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.Supplier;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Produces;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxKey;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;

/** Guards events whose injection point has the annotation. */
class QualifiedTypesTest {
    private final EventTypes types = new EventTypes();

    static class Invoice {
        final String number;

        Invoice(String number) {
            this.number = number;
        }
    }

    static final class CreditNote extends Invoice {
        CreditNote() {
            super("credit");
        }
    }

    static final class DebitNote extends Invoice {
        DebitNote() {
            super("debit");
        }
    }

    record Order(String id) {}

    record Keyed(@OutboxKey String id, String other) {}

    @OutboxEvent(key = "other")
    static class NamesItsKey {
        final String other = "other";
    }

    static final class KeyedTwice extends NamesItsKey {
        @OutboxKey
        final String id = "id";
    }

    @OutboxEvent
    static class Annotated {}

    static final class ExtendsAnnotated extends Annotated {}

    /** Injection points as an application declares them. */
    @SuppressWarnings("unused")
    private static final class Accounting {
        @OutboxEvent(
                type = "invoice.issued",
                version = 2,
                destination = {"audit", "default", "audit"},
                aggregateType = "Invoice",
                key = "number",
                aggregateId = "number")
        Object issued;

        @OutboxEvent
        Object plain;
    }

    private static final OutboxEvent ISSUED = qualifier("issued");
    private static final OutboxEvent.Literal LITERAL = OutboxEvent.Literal.of("invoice.issued")
            .withVersion(2)
            .withDestination("audit", "default", "audit")
            .withAggregateType("Invoice")
            .withKey("number")
            .withAggregateId("number");

    @Test
    void qualifierIsReadAndItsDefaultsAreFilledIn() {
        EventType issued = of(new Invoice("1"), ISSUED);
        assertThat(issued.name()).isEqualTo("invoice.issued");
        assertThat(issued.version()).isEqualTo(2);
        assertThat(issued.destinations()).containsExactly("audit", "default");
        assertThat(issued.aggregateType()).isEqualTo("Invoice");
        assertThat(issued.key().read(new Invoice("17"))).isEqualTo("17");
        assertThat(issued.aggregateId().read(new Invoice("17"))).isEqualTo("17");

        EventType plain = of(new Order("1"), qualifier("plain"));
        assertThat(plain.name()).isEqualTo("Order");
        assertThat(plain.version()).isEqualTo(1);
        assertThat(plain.destinations()).isEmpty();
        assertThat(plain.aggregateType()).isNull();
        assertThat(plain.key()).isNull();
        assertThat(plain.aggregateId()).isNull();
    }

    @Test
    void literalIsTheAnnotationItStandsFor() {
        assertThat(LITERAL).isEqualTo(ISSUED).hasSameHashCodeAs(ISSUED);
        assertThat(ISSUED).isEqualTo(LITERAL);
        assertThat(OutboxEvent.Literal.of("")).isEqualTo(qualifier("plain"));
        assertThat(of(new Invoice("1"), LITERAL)).isSameAs(of(new Invoice("2"), ISSUED));
    }

    @Test
    void literalDiffersInEveryMember() {
        assertThat(Set.<Annotation>of(
                        LITERAL,
                        OutboxEvent.Literal.of("other")
                                .withVersion(2)
                                .withDestination("audit", "default", "audit")
                                .withAggregateType("Invoice")
                                .withKey("number"),
                        LITERAL.withVersion(3),
                        LITERAL.withDestination("audit"),
                        LITERAL.withAggregateType(""),
                        LITERAL.withKey("id")))
                .hasSize(6);
    }

    @Test
    void literalNeedsTheNamesOfItsDestinations() {
        assertThatThrownBy(() -> LITERAL.withDestination("audit", null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a destination is null");
    }

    @Test
    void literalCannotBeChangedThroughItsArray() {
        LITERAL.destination()[0] = "elsewhere";

        assertThat(LITERAL).isEqualTo(ISSUED);
    }

    @Test
    void otherQualifiersMakeNoEventOfOurs() {
        assertThat(types.of(new Order("1"), Set.of(override()))).isEmpty();
        assertThat(types.of(
                        new Order("1"), Set.of(override(), LITERAL.withKey("id").withAggregateId("id"))))
                .isPresent();
    }

    @Test
    void oneClassMayBeManyEvents() {
        assertThat(of(new Order("1"), OutboxEvent.Literal.of("placed")).name()).isEqualTo("placed");
        assertThat(of(new Order("1"), OutboxEvent.Literal.of("cancelled")).name())
                .isEqualTo("cancelled");
        assertThat(types.all()).extracting(EventType::name).containsExactlyInAnyOrder("placed", "cancelled");
    }

    @Test
    void injectionPointIsKnownBeforeAnythingIsFired() {
        types.register(Invoice.class, ISSUED);
        types.register(Invoice.class, LITERAL);

        assertThat(types.all()).extracting(EventType::name).containsOnly("invoice.issued");
    }

    @Test
    void annotationWithoutMembersRepeatsThatOfTheClass() {
        assertThat(of(new Annotated(), qualifier("plain"))).isEqualTo(types.register(Annotated.class));
        assertThat(of(new ExtendsAnnotated(), OutboxEvent.Literal.of("")).name())
                .isEqualTo("Annotated");

        types.register(NamesItsKey.class, qualifier("plain"));
        assertThat(types.all()).extracting(EventType::name).contains("NamesItsKey");
    }

    @Test
    void keyIsThePropertyWithTheAnnotationOrTheNamedOne() {
        Keyed event = new Keyed("1", "2");
        assertThat(of(event, OutboxEvent.Literal.of("keyed")).key().read(event)).isEqualTo("1");
        assertThat(types.register(NamesItsKey.class).key().read(new NamesItsKey()))
                .isEqualTo("other");
        assertThat(of(new NamesItsKey() {}, qualifier("plain")).key().read(new NamesItsKey()))
                .isEqualTo("other");
    }

    @Test
    void keyThatIsNamedTwiceIsRefused() {
        String text = ": it has @OutboxKey (id), and @OutboxEvent names the key 'other'. Keep one.";
        assertRefused(
                () -> of(new Keyed("1", "2"), LITERAL.withKey("other")), "OBX-0111: " + Keyed.class.getName() + text);
        assertRefused(() -> types.of(new KeyedTwice(), Set.of()), "OBX-0111: " + KeyedTwice.class.getName() + text);
    }

    @Test
    void twoDescriptionsOfOneClassAreRefused() {
        String text = "its class carries @OutboxEvent, and so does its injection point or select(), with members";
        assertRefused(() -> of(new Annotated(), LITERAL), "OBX-0111: " + Annotated.class.getName() + ": " + text);
        assertRefused(
                () -> of(new ExtendsAnnotated(), LITERAL),
                "OBX-0111: " + ExtendsAnnotated.class.getName() + ": " + text);
        assertThatThrownBy(() -> types.register(Annotated.class, ISSUED))
                .hasMessageStartingWith("OBX-0111: " + Annotated.class.getName() + ": " + text);
        assertThat(types.all()).isEmpty();
    }

    @Test
    void subclassesShareTheTypeOfWhatTheyExtend() {
        types.register(Invoice.class, ISSUED);

        assertThat(of(new CreditNote(), ISSUED).name()).isEqualTo("invoice.issued");
        assertThat(of(new DebitNote(), ISSUED).name()).isEqualTo("invoice.issued");
        assertThat(of(new CreditNote(), ISSUED).key().read(new CreditNote())).isEqualTo("credit");
    }

    @Test
    void whatASubclassExtendsMayComeAfterIt() {
        assertThat(of(new CreditNote(), LITERAL).name()).isEqualTo("invoice.issued");
        assertThat(of(new Invoice("1"), LITERAL).name()).isEqualTo("invoice.issued");
        assertThat(of(new DebitNote(), LITERAL).name()).isEqualTo("invoice.issued");

        types.register(CreditNote.class, LITERAL.withVersion(3));
        assertThat(of(new DebitNote(), LITERAL.withVersion(3)).version()).isEqualTo(3);
    }

    @Test
    void unrelatedClassesWithOneTypeAreRefused() {
        OutboxEvent.Literal type = OutboxEvent.Literal.of("one");
        of(new Invoice("1"), type);

        assertRefused(
                () -> of(new Order("1"), type),
                "OBX-0204: event type 'one' is claimed by " + Invoice.class.getName() + " (loaded by ");
        assertThatThrownBy(() -> types.register(Order.class, type)).hasMessageStartingWith("OBX-0204");
        assertRefused(() -> of(new Order("1"), type), "OBX-0204");
    }

    @Test
    void siblingsWithOneTypeAreRefusedWhereNothingJoinsThem() {
        OutboxEvent.Literal type = OutboxEvent.Literal.of("one");
        of(new CreditNote(), type);

        assertRefused(() -> of(new DebitNote(), type), "OBX-0204");
    }

    @Test
    void annotatedClassKeepsItsNameForItself() {
        types.register(Annotated.class);

        assertRefused(() -> of(new Order("1"), OutboxEvent.Literal.of("Annotated")), "OBX-0204");
    }

    @Test
    void generatedClassesNeedAType() {
        Supplier<String> lambda = () -> "lambda";
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Runnable.class},
                (p, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> 1;
                    default -> null;
                });
        for (Object generated : new Object[] {lambda, proxy, new Invoice("anonymous") {}, new Order$$Generated()}) {
            assertRefused(
                    () -> of(generated, OutboxEvent.Literal.of("")),
                    "OBX-0111: " + generated.getClass().getName()
                            + ": the class has no stable name of its own. Give the event a type.");
            assertThat(of(generated, OutboxEvent.Literal.of(generated.getClass().getName())))
                    .isNotNull();
        }
    }

    @Test
    void clientProxyIsRefusedHoweverItBecameAnEvent() {
        Weld weld = new Weld().disableDiscovery().addBeanClasses(Basket.class, Produced.class);
        try (WeldContainer container = weld.initialize()) {
            String why = ": it is a client proxy of the container";
            Object basket = container.select(Basket.class).get();
            assertRefused(
                    () -> of(basket, OutboxEvent.Literal.of("basket")),
                    "OBX-0111: " + basket.getClass().getName() + why);
            Object annotated = container.select(Annotated.class).get();
            assertRefused(
                    () -> types.of(annotated, Set.of()),
                    "OBX-0111: " + annotated.getClass().getName() + why);
            assertThat(types.of(basket, Set.of())).as("no event of ours").isEmpty();
        }
    }

    @ApplicationScoped
    static class Basket {}

    @Dependent
    static class Produced {
        @Produces
        @ApplicationScoped
        Annotated annotated() {
            return new Annotated();
        }
    }

    /** A request may have named the type. */
    @Test
    void whatIsKeptByNameIsBounded() {
        for (int i = 0; i < EventTypes.MOST + 10; i++) {
            String type = "type " + i;
            assertThat(of(new Order("1"), OutboxEvent.Literal.of(type)).name()).isEqualTo(type);
        }

        assertThat(types.all()).hasSize(EventTypes.MOST);
    }

    /** A request may have named the destination. */
    @Test
    void whatWasRefusedIsNotKeptUnlessTheDeploymentDeclaresIt() {
        types.register(Invoice.class, ISSUED);
        EventType declared = of(new Invoice("1"), ISSUED);
        OutboxEvent fired = LITERAL.withDestination("elsewhere");
        EventType refused = of(new Invoice("1"), fired);

        types.forget(new Invoice("1"), Set.of(ISSUED));
        types.forget(new Invoice("1"), Set.of(fired));

        assertThat(of(new Invoice("1"), ISSUED)).isSameAs(declared);
        assertThat(of(new Invoice("1"), fired)).isNotSameAs(refused);
    }

    @Test
    void refusedEventLeavesItsNameToOthers() {
        OutboxEvent named = OutboxEvent.Literal.of("taken");
        of(new Order("1"), named);

        types.forget(new Order("1"), Set.of(named));

        assertThat(types.names()).doesNotContain("taken");
        assertThat(of(new Invoice("1"), named).eventClass()).isEqualTo(Invoice.class);
    }

    @Test
    void hiddenClassNeedsATypeToo() throws Exception {
        try (InputStream code = TopLevel.class.getResourceAsStream("TopLevel.class")) {
            Object hidden = MethodHandles.lookup()
                    .defineHiddenClass(code.readAllBytes(), false)
                    .lookupClass()
                    .getDeclaredConstructor()
                    .newInstance();

            assertRefused(() -> of(hidden, OutboxEvent.Literal.of("")), "OBX-0111");
        }
    }

    static final class Order$$Generated {}

    @Test
    void versionAndTextsAreChecked() {
        assertRefused(() -> of(new Order("1"), LITERAL.withKey("id").withVersion(0)), "OBX-0111");
        assertRefused(() -> of(new Order("1"), OutboxEvent.Literal.of("x".repeat(256))), "OBX-0111");
        assertRefused(
                () -> of(new Order("1"), OutboxEvent.Literal.of("x").withAggregateType("x".repeat(256))), "OBX-0111");
        assertThat(of(new Order("1"), OutboxEvent.Literal.of("x".repeat(255)).withAggregateType("x".repeat(255))))
                .isNotNull();
        assertRefused(() -> of(new Order("1"), OutboxEvent.Literal.of("a\0")), "OBX-0111");
        assertRefused(() -> of(new Order("1"), OutboxEvent.Literal.of("a").withAggregateType("a\0")), "OBX-0111");
    }

    private EventType of(Object event, OutboxEvent qualifier) {
        return types.of(event, Set.of(qualifier)).orElseThrow();
    }

    private static void assertRefused(Runnable firing, String message) {
        assertThatThrownBy(firing::run).isInstanceOf(OutboxException.class).hasMessageStartingWith(message);
    }

    private static OutboxEvent qualifier(String field) {
        try {
            return Accounting.class.getDeclaredField(field).getAnnotation(OutboxEvent.class);
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Annotation override() {
        return () -> Override.class;
    }
}

/** Not nested: the JVM refuses a hidden copy of a nested class. */
final class TopLevel {}
