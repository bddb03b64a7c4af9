package dev.cdioutbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.enterprise.util.Nonbinding;
import jakarta.inject.Qualifier;

/**
 * Marks an event class or record. When the application fires an instance as a plain CDI event, the current transaction
 * stores it in the outbox.
 *
 * <pre>{@code
 * @OutboxEvent(aggregateType = "Order")
 * public record OrderPlaced(@OutboxKey String orderId, String customer) {}
 *
 * @Inject
 * Event<OrderPlaced> placed;
 *
 * @Transactional
 * public void place(String orderId, String customer) {
 *     placed.fire(new OrderPlaced(orderId, customer));
 * }
 * }</pre>
 *
 * <p>If the class cannot carry it, for example because it is generated or from a library, the annotation marks the
 * injected {@code Event<T>} instead, or a {@link Literal} the call of {@code select(…)}:
 *
 * <pre>{@code
 * @Inject
 * @OutboxEvent(type = "invoice.issued", key = "number")
 * Event<Invoice> issued;
 * }</pre>
 *
 * <p><b>Without the annotation</b> on the class, at the injection point or in {@code select(…)}, an event is an ordinary CDI
 * event: its observers get it, but the outbox does not store it, and nothing reports that.
 *
 * <p>{@code fire(…)} serializes the event at once, so that every error surfaces there and a later change of the object
 * has no effect. JSON-B, the default, needs a public class, and public getters or record components. The outbox writes
 * the row when the transaction completes, after the Jakarta Persistence flush. A rollback removes the row too.
 *
 * <p>Fire synchronously and inside a JTA transaction: the outbox refuses an event outside of one (see the key
 * {@code outbox.outside-transaction}), and {@code fireAsync} returns a failed stage.
 *
 * <p>An event has one description. So where the class carries the annotation, the one at the injection point must not
 * set a member, and may be left out.
 *
 * <p>This annotation is a qualifier whose members are all non-binding. An observer of {@code @OutboxEvent} receives only
 * events that were fired with it; to observe the events of an annotated class, observe the class. It is a stereotype
 * only so that CDI discovers the class in bean archives with {@code bean-discovery-mode="annotated"}. The outbox vetoes
 * the class: an annotated class never becomes a bean.
 *
 * @see OutboxKey
 * @see OutboxAggregateId
 * @see OutboxException
 */
@Documented
@Qualifier
@Stereotype
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.FIELD, ElementType.PARAMETER})
public @interface OutboxEvent {

    /**
     * The stable name that the outbox stores and sends. Consumers select messages by this name. Empty (the default)
     * means the simple class name. Two classes with one name fail the deployment; at an injection point a class may
     * share the name of a class that it extends or implements.
     *
     * @return the event type, or empty for the simple class name
     */
    @Nonbinding
    String type() default "";

    /**
     * The version of the payload's shape. Raise it when consumers must distinguish old payloads from new ones.
     *
     * @return the schema version, 1 or more; the outbox refuses a lower one
     */
    @Nonbinding
    int version() default 1;

    /**
     * Logical destination names as configured by {@code outbox.destinations.<name>.jndi}. The outbox stores one row for
     * each. Empty (the default) means the destinations of {@code outbox.routes.<event type>}, or {@code default}
     * without such a route. To choose them at run time, by tenant or content, an enricher calls {@link
     * dev.cdioutbox.spi.OutboxMetadata#destinations(String...)}.
     *
     * @return logical destination names, or empty
     */
    @Nonbinding
    String[] destination() default {};

    /**
     * The kind of thing the event is about, for example {@code Order}. A consumer can read it, but it is not part of the
     * {@linkplain OutboxKey ordering key}.
     *
     * @return the aggregate type, or empty for none
     */
    @Nonbinding
    String aggregateType() default "";

    /**
     * The name of the property that holds the ordering key, where no property can carry {@link OutboxKey}: a field, a
     * record component or a getter. The outbox refuses a class that has both.
     *
     * @return a property's name; empty for the property with {@link OutboxKey}, or for unordered if there is none
     */
    @Nonbinding
    String key() default "";

    /**
     * The name of the property that holds the aggregate's id, where no property can carry {@link OutboxAggregateId}. The
     * outbox refuses a class that has both.
     *
     * @return a property's name; empty for the property with {@link OutboxAggregateId}, or for the key if there is none
     */
    @Nonbinding
    String aggregateId() default "";

    /**
     * The outbox that stores the event, as configured by {@code outbox.outboxes.<name>.datasource}. Choose the one on
     * the DataSource of the business rows. Empty (the default) means the default outbox.
     *
     * @return the name of an outbox, or empty for the default one
     */
    @Nonbinding
    String outbox() default "";

    /**
     * An {@link OutboxEvent} for {@code Event.select(…)}, which describes an event at run time. It is for a class without
     * the annotation (else {@code fire()} throws OBX-0111), and for an injected {@code Event<T>} without it. Immutable.
     *
     * <pre>{@code
     * invoices.select(OutboxEvent.Literal.of("invoice.issued").withKey("number").withDestination(tenant))
     *         .fire(invoice);
     * }</pre>
     */
    final class Literal extends AnnotationLiteral<OutboxEvent> implements OutboxEvent {
        private static final long serialVersionUID = 1L;

        private final String type;
        private final int version;
        // javac from 18 on warns of an interface here. Each list is one of List.of, and such a list is serializable.
        @SuppressWarnings("serial")
        private final List<String> destination;

        private final String aggregateType;
        private final String key;
        private final String aggregateId;
        private final String outbox;

        private Literal(
                String type,
                int version,
                List<String> destination,
                String aggregateType,
                String key,
                String aggregateId,
                String outbox) {
            this.type = Objects.requireNonNull(type, "type");
            this.version = version;
            this.destination = destination;
            this.aggregateType = Objects.requireNonNull(aggregateType, "aggregateType");
            this.key = Objects.requireNonNull(key, "key");
            this.aggregateId = Objects.requireNonNull(aggregateId, "aggregateId");
            this.outbox = Objects.requireNonNull(outbox, "outbox");
        }

        /**
         * A literal with a type; all other members have their defaults.
         *
         * @param type the event type, or empty for the simple class name; not null
         * @return a new literal
         */
        public static Literal of(String type) {
            return new Literal(type, 1, List.of(), "", "", "", "");
        }

        /**
         * A copy with another version.
         *
         * @param version the schema version, 1 or more
         * @return a new literal
         */
        public Literal withVersion(int version) {
            return new Literal(type, version, destination, aggregateType, key, aggregateId, outbox);
        }

        /**
         * A copy with other destinations. For a class with the annotation, or for all events, an enricher calls {@link
         * dev.cdioutbox.spi.OutboxMetadata#destinations(String...)} instead.
         *
         * @param destination logical names, none of them null; {@code fire()} throws OBX-0112 if one is not configured
         * @return a new literal
         * @throws IllegalArgumentException if a name is null
         */
        public Literal withDestination(String... destination) {
            if (Arrays.asList(destination).contains(null)) {
                throw new IllegalArgumentException("a destination is null");
            }
            return new Literal(type, version, List.of(destination), aggregateType, key, aggregateId, outbox);
        }

        /**
         * A copy with another aggregate type.
         *
         * @param aggregateType the kind of thing the event is about; not null
         * @return a new literal
         */
        public Literal withAggregateType(String aggregateType) {
            return new Literal(type, version, destination, aggregateType, key, aggregateId, outbox);
        }

        /**
         * A copy with another key.
         *
         * @param key the name of the property that holds the ordering key; not null
         * @return a new literal
         */
        public Literal withKey(String key) {
            return new Literal(type, version, destination, aggregateType, key, aggregateId, outbox);
        }

        /**
         * A copy with another aggregate id.
         *
         * @param aggregateId the name of the property that holds the aggregate's id; empty for the key; not null
         * @return a new literal
         */
        public Literal withAggregateId(String aggregateId) {
            return new Literal(type, version, destination, aggregateType, key, aggregateId, outbox);
        }

        /**
         * A copy for another outbox.
         *
         * @param outbox the name of an outbox, or empty for the default one; not null
         * @return a new literal
         */
        public Literal withOutbox(String outbox) {
            return new Literal(type, version, destination, aggregateType, key, aggregateId, outbox);
        }

        @Override
        public String type() {
            return type;
        }

        @Override
        public int version() {
            return version;
        }

        @Override
        public String[] destination() {
            return destination.toArray(String[]::new);
        }

        @Override
        public String aggregateType() {
            return aggregateType;
        }

        @Override
        public String key() {
            return key;
        }

        @Override
        public String aggregateId() {
            return aggregateId;
        }

        @Override
        public String outbox() {
            return outbox;
        }
    }
}
