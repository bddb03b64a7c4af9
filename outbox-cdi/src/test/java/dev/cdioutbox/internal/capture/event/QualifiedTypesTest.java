package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.Supplier;

import dev.cdioutbox.Outbox;
import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxException;
import org.junit.jupiter.api.Test;

/** Guards events of classes without an annotation, which are fired with the qualifier. */
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

    @OutboxEvent
    static class Annotated {}

    static final class ExtendsAnnotated extends Annotated {}

    /** Injection points as an application declares them. */
    @SuppressWarnings("unused")
    private static final class Accounting {
        @Outbox(
                type = "invoice.issued",
                version = 2,
                destination = {"audit", "default", "audit"},
                aggregateType = "Invoice",
                key = "number")
        Object issued;

        @Outbox
        Object plain;
    }

    private static final Outbox ISSUED = qualifier("issued");
    private static final Outbox.Literal LITERAL = Outbox.Literal.of("invoice.issued")
            .withVersion(2)
            .withDestination("audit", "default", "audit")
            .withAggregateType("Invoice")
            .withKey("number");

    @Test
    void qualifierIsReadAndItsDefaultsAreFilledIn() {
        EventType issued = of(new Invoice("1"), ISSUED);
        assertThat(issued.name()).isEqualTo("invoice.issued");
        assertThat(issued.version()).isEqualTo(2);
        assertThat(issued.destinations()).containsExactly("audit", "default");
        assertThat(issued.aggregateType()).isEqualTo("Invoice");
        assertThat(issued.key().read(new Invoice("17"))).isEqualTo("17");

        EventType plain = of(new Order("1"), qualifier("plain"));
        assertThat(plain.name()).isEqualTo("Order");
        assertThat(plain.version()).isEqualTo(1);
        assertThat(plain.destinations()).isEmpty();
        assertThat(plain.aggregateType()).isNull();
        assertThat(plain.key()).isNull();
    }

    @Test
    void literalIsTheAnnotationItStandsFor() {
        assertThat(LITERAL).isEqualTo(ISSUED).hasSameHashCodeAs(ISSUED);
        assertThat(ISSUED).isEqualTo(LITERAL);
        assertThat(Outbox.Literal.of("")).isEqualTo(qualifier("plain"));
        assertThat(of(new Invoice("1"), LITERAL)).isSameAs(of(new Invoice("2"), ISSUED));
    }

    @Test
    void literalDiffersInEveryMember() {
        assertThat(Set.<Annotation>of(
                        LITERAL,
                        Outbox.Literal.of("other")
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
    void literalCannotBeChangedThroughItsArray() {
        LITERAL.destination()[0] = "elsewhere";

        assertThat(LITERAL).isEqualTo(ISSUED);
    }

    @Test
    void otherQualifiersMakeNoEventOfOurs() {
        assertThat(types.of(new Order("1"), Set.of(override()))).isEmpty();
        assertThat(types.of(new Order("1"), Set.of(override(), LITERAL.withKey("id"))))
                .isPresent();
    }

    @Test
    void oneClassMayBeManyEvents() {
        assertThat(of(new Order("1"), Outbox.Literal.of("placed")).name()).isEqualTo("placed");
        assertThat(of(new Order("1"), Outbox.Literal.of("cancelled")).name()).isEqualTo("cancelled");
        assertThat(types.all()).extracting(EventType::name).containsExactlyInAnyOrder("placed", "cancelled");
    }

    @Test
    void injectionPointIsKnownBeforeAnythingIsFired() {
        types.register(Invoice.class, ISSUED);
        types.register(Invoice.class, LITERAL);

        assertThat(types.all()).extracting(EventType::name).containsOnly("invoice.issued");
    }

    @Test
    void twoDescriptionsOfOneClassAreRefused() {
        String text = "it carries @OutboxEvent and is fired with @Outbox. Keep one";
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
        Outbox.Literal type = Outbox.Literal.of("one");
        of(new Invoice("1"), type);

        assertRefused(
                () -> of(new Order("1"), type),
                "OBX-0204: event type 'one' is claimed by " + Invoice.class.getName() + " (loaded by ");
        assertThatThrownBy(() -> types.register(Order.class, type)).hasMessageStartingWith("OBX-0204");
        assertRefused(() -> of(new Order("1"), type), "OBX-0204");
    }

    @Test
    void siblingsWithOneTypeAreRefusedWhereNothingJoinsThem() {
        Outbox.Literal type = Outbox.Literal.of("one");
        of(new CreditNote(), type);

        assertRefused(() -> of(new DebitNote(), type), "OBX-0204");
    }

    @Test
    void annotatedClassKeepsItsNameForItself() {
        types.register(Annotated.class);

        assertRefused(() -> of(new Order("1"), Outbox.Literal.of("Annotated")), "OBX-0204");
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
                    () -> of(generated, Outbox.Literal.of("")),
                    "OBX-0111: " + generated.getClass().getName()
                            + ": the class has no stable name of its own. Give the event a type.");
            assertThat(of(generated, Outbox.Literal.of(generated.getClass().getName())))
                    .isNotNull();
        }
    }

    @Test
    void hiddenClassNeedsATypeToo() throws Exception {
        try (InputStream code = TopLevel.class.getResourceAsStream("TopLevel.class")) {
            Object hidden = MethodHandles.lookup()
                    .defineHiddenClass(code.readAllBytes(), false)
                    .lookupClass()
                    .getDeclaredConstructor()
                    .newInstance();

            assertRefused(() -> of(hidden, Outbox.Literal.of("")), "OBX-0111");
        }
    }

    static final class Order$$Generated {}

    @Test
    void versionAndLengthsAreCheckedAsTheAnnotationsAre() {
        assertRefused(() -> of(new Order("1"), LITERAL.withKey("id").withVersion(0)), "OBX-0111");
        assertRefused(() -> of(new Order("1"), Outbox.Literal.of("x".repeat(256))), "OBX-0111");
        assertRefused(() -> of(new Order("1"), Outbox.Literal.of("x").withAggregateType("x".repeat(256))), "OBX-0111");
        assertThat(of(new Order("1"), Outbox.Literal.of("x".repeat(255)).withAggregateType("x".repeat(255))))
                .isNotNull();
    }

    private EventType of(Object event, Outbox qualifier) {
        return types.of(event, Set.of(qualifier)).orElseThrow();
    }

    private static void assertRefused(Runnable firing, String message) {
        assertThatThrownBy(firing::run).isInstanceOf(OutboxException.class).hasMessageStartingWith(message);
    }

    private static Outbox qualifier(String field) {
        try {
            return Accounting.class.getDeclaredField(field).getAnnotation(Outbox.class);
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
