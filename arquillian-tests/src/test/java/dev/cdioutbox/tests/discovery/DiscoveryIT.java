package dev.cdioutbox.tests.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.discovery.library.InAll;
import dev.cdioutbox.tests.discovery.library.InAnnotated;
import dev.cdioutbox.tests.discovery.library.InBare;
import dev.cdioutbox.tests.discovery.library.InEmpty;
import dev.cdioutbox.tests.discovery.library.InNone;
import dev.cdioutbox.tests.discovery.library.Unkeyed;
import dev.cdioutbox.tests.discovery.library.UnkeyedRecord;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The outbox captures each event once, wherever its class is and however the application fires it. */
@ExtendWith(ArquillianExtension.class)
class DiscoveryIT {
    private static final OutboxEvent.Literal ISSUED =
            OutboxEvent.Literal.of("invoice.issued").withKey("number").withDestination("absent");

    @Inject
    Firing firing;

    @Inject
    Accounting accounting;

    @Inject
    OutboxOperations outbox;

    @Inject
    @Any
    Instance<Object> beans;

    private final String id = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return Deployments.assertions(Deployments.outbox("discovery-tests.war"))
                .addPackage(DiscoveryIT.class.getPackage())
                .addAsLibraries(
                        jar(InEmpty.class).addAsManifestResource(new StringAsset(""), "beans.xml"),
                        jar(InAnnotated.class).addAsManifestResource(mode("annotated"), "beans.xml"),
                        jar(InAll.class)
                                .addClasses(Unkeyed.class, UnkeyedRecord.class)
                                .addAsManifestResource(mode("all"), "beans.xml"),
                        jar(InNone.class).addAsManifestResource(mode("none"), "beans.xml"),
                        jar(InBare.class));
    }

    private static JavaArchive jar(Class<?> event) {
        return ShrinkWrap.create(JavaArchive.class, event.getSimpleName() + ".jar")
                .addClass(event);
    }

    private static StringAsset mode(String mode) {
        return new StringAsset("<beans xmlns=\"https://jakarta.ee/xml/ns/jakartaee\" version=\"4.0\""
                + " bean-discovery-mode=\"" + mode + "\"/>");
    }

    @Test
    void eventsOfEveryKindOfArchiveAreCapturedOnce() {
        firing.asObject(new InEmpty(id));
        firing.asObject(new InAnnotated(id));
        firing.asObject(new InAll(id));
        firing.asObject(new InNone(id));
        firing.asObject(new InBare(id));

        assertThat(types(id)).containsExactly("InEmpty", "InAnnotated", "InAll", "InNone", "InBare");
    }

    @Test
    void eventFiredAsItsTypeIsCapturedOnce() {
        firing.asItsType(new InAll(id));
        firing.asItsType(new Moved.ByShip(id));
        firing.asItsType(new Changed<>(id, "text"));

        assertThat(types(id)).containsExactly("InAll", "moved", "value.changed");
    }

    @Test
    void eventsWithoutAKeyAreCapturedOnce() {
        int before = countOf("unkeyed");
        int recordsBefore = countOf("unkeyed.record");
        firing.asItsType();

        assertThat(countOf("unkeyed")).isEqualTo(before + 1);
        assertThat(countOf("unkeyed.record")).isEqualTo(recordsBefore + 1);
    }

    @Test
    void subclassAndImplementationAreEventsOfTheAnnotatedType() {
        firing.asObject(new ChangedTwice(id));
        firing.asObject(new Moved.ByShip(id));
        firing.asObject(new Moved() {
            @Override
            public String id() {
                return id;
            }
        });

        assertThat(types(id)).containsExactly("value.changed", "moved", "moved");
    }

    @Test
    void genericEventIsCapturedOnceHoweverItsTypeIsSaid() {
        firing.asItsType(new Changed<>(id, "text"));
        firing.byTypeLiteral(new Changed<>(id, "text"));
        firing.throughTheBeanManager(new ChangedTwice(id));

        assertThat(types(id)).containsExactly("value.changed", "value.changed", "value.changed");
    }

    @Test
    void qualifiersOfOthersDoNotMatter() {
        firing.withQualifiers(new Moved.ByShip(id));

        assertThat(types(id)).containsExactly("moved");
    }

    @Test
    void eventFiredThroughTheBeanManagerIsCapturedOnce() {
        firing.throughTheBeanManager(new InNone(id));
        firing.throughTheBeanManager(new Invoice(id), ISSUED);

        assertThat(types(id)).containsExactly("InNone", "invoice.issued");
    }

    @Test
    void qualifierAtAnyInjectionPointMakesAnEvent() {
        accounting.issueThroughField(id);
        accounting.issueThroughConstructor(id);
        accounting.issueThroughInitializer(id);

        assertThat(types(id)).containsExactly("invoice.field", "invoice.constructor", "invoice.initializer");
    }

    @Test
    void annotationOfBothClassAndInjectionPointMakesOneEvent() {
        firing.asMarked(new Moved.ByShip(id));
        firing.withLiteral(new Moved.ByShip(id), OutboxEvent.Literal.of(""));
        firing.throughTheBeanManager(new InNone(id), OutboxEvent.Literal.of(""));

        assertThat(types(id)).containsExactly("moved", "moved", "InNone");
    }

    @Test
    void qualifierAtRunTimeMakesAnEvent() {
        firing.withLiteral(new Invoice(id), ISSUED);
        firing.withLiteral(new Invoice(id), ISSUED.withVersion(2));

        assertThat(types(id)).containsExactly("invoice.issued", "invoice.issued");
        assertThat(stored(id)).extracting(m -> m.event().version()).containsExactly(1, 2);
    }

    @Test
    void eventOfOthersWithoutTheQualifierIsLeftAlone() {
        firing.asObject(new Invoice(id));

        assertThat(types(id)).isEmpty();
    }

    @Test
    void wrongQualifierAtRunTimeFailsItsCaller() {
        assertThatThrownBy(() -> firing.withLiteral(new Moved.ByShip(id), ISSUED))
                .hasStackTraceContaining("OBX-0111: " + Moved.ByShip.class.getName());
        assertThatThrownBy(() -> firing.withLiteral(new Invoice(id), ISSUED.withDestination("nowhere")))
                .hasStackTraceContaining("OBX-0112: event " + Invoice.class.getName());
        assertThatThrownBy(() -> firing.withLiteral(new Invoice(id), ISSUED.withKey("customer")))
                .hasStackTraceContaining("OBX-0111: " + Invoice.class.getName());

        assertThat(types(id)).isEmpty();
    }

    @Test
    void noEventIsABean() {
        for (Class<?> event : List.of(
                InEmpty.class,
                InAnnotated.class,
                InAll.class,
                InNone.class,
                InBare.class,
                Unkeyed.class,
                UnkeyedRecord.class,
                Changed.class,
                Moved.class)) {
            assertThat(beans.select(event).isUnsatisfied()).as(event.getName()).isTrue();
        }
    }

    /** The types of a key's events, in the order in which they were fired. */
    private List<String> types(String key) {
        return stored(key).stream().map(message -> message.event().type()).toList();
    }

    private int countOf(String type) {
        return outbox.find(OutboxFilter.all().withEventType(type)).size();
    }

    private List<OutboxMessage> stored(String key) {
        return outbox.find(OutboxFilter.all().withKey(key)).stream()
                .sorted((a, b) -> Long.compare(a.sequence(), b.sequence()))
                .toList();
    }
}
