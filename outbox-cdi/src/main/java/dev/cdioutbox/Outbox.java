package dev.cdioutbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Objects;

import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.enterprise.util.Nonbinding;
import jakarta.inject.Qualifier;

/**
 * Makes the events of an injected {@code Event<T>} outbox events, where the class {@code T} cannot carry
 * {@link OutboxEvent}: for example a generated or library class.
 *
 * <pre>{@code
 * @Inject
 * @Outbox(type = "invoice.issued", key = "number")
 * Event<Invoice> issued;
 * }</pre>
 *
 * <p>The rules of {@link OutboxEvent} apply. The outbox refuses an event whose class carries {@link OutboxEvent}: that
 * event would have two descriptions. All members are non-binding, so an observer of {@code @Outbox} receives all such
 * events.
 */
@Documented
@Qualifier
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER})
public @interface Outbox {

    /**
     * The stable name that the outbox stores and sends. Empty (the default) means the simple name of the fired object's
     * class. The outbox refuses two classes with one name, unless one extends or implements the other.
     *
     * @return the event type, or empty for the simple class name
     */
    @Nonbinding
    String type() default "";

    /**
     * The version of the payload's shape.
     *
     * @return the schema version, 1 or more
     */
    @Nonbinding
    int version() default 1;

    /**
     * Logical destination names; empty means that routing decides, as at {@link OutboxEvent#destination()}.
     *
     * @return logical destination names, or empty
     */
    @Nonbinding
    String[] destination() default {};

    /**
     * The kind of thing the event is about.
     *
     * @return the aggregate type, or empty for none
     */
    @Nonbinding
    String aggregateType() default "";

    /**
     * The name of the property that holds the ordering key: a field, a record component or a getter of the fired
     * object. {@link OutboxKey} lists the allowed values.
     *
     * @return a property's name, or empty for unordered
     */
    @Nonbinding
    String key() default "";

    /**
     * The outbox that stores the event, as at {@link OutboxEvent#outbox()}.
     *
     * @return the name of an outbox, or empty for the default one
     */
    @Nonbinding
    String outbox() default "";

    /** An {@link Outbox} for {@code Event.select(…)}. Immutable. */
    final class Literal extends AnnotationLiteral<Outbox> implements Outbox {
        private static final long serialVersionUID = 1L;

        private final String type;
        private final int version;
        // javac from 18 on warns of an interface here. Each list is one of List.of, and such a list is serializable.
        @SuppressWarnings("serial")
        private final List<String> destination;

        private final String aggregateType;
        private final String key;
        private final String outbox;

        private Literal(
                String type, int version, List<String> destination, String aggregateType, String key, String outbox) {
            this.type = Objects.requireNonNull(type, "type");
            this.version = version;
            this.destination = destination;
            this.aggregateType = Objects.requireNonNull(aggregateType, "aggregateType");
            this.key = Objects.requireNonNull(key, "key");
            this.outbox = Objects.requireNonNull(outbox, "outbox");
        }

        /**
         * A literal with a type; all other members have their defaults.
         *
         * @param type the event type, or empty for the simple class name; not null
         * @return a new literal
         */
        public static Literal of(String type) {
            return new Literal(type, 1, List.of(), "", "", "");
        }

        /**
         * A copy with another version.
         *
         * @param version the schema version, 1 or more
         * @return a new literal
         */
        public Literal withVersion(int version) {
            return new Literal(type, version, destination, aggregateType, key, outbox);
        }

        /**
         * A copy with other destinations.
         *
         * @param destination logical names; not null
         * @return a new literal
         */
        public Literal withDestination(String... destination) {
            return new Literal(type, version, List.of(destination), aggregateType, key, outbox);
        }

        /**
         * A copy with another aggregate type.
         *
         * @param aggregateType the kind of thing the event is about; not null
         * @return a new literal
         */
        public Literal withAggregateType(String aggregateType) {
            return new Literal(type, version, destination, aggregateType, key, outbox);
        }

        /**
         * A copy with another key.
         *
         * @param key the name of the property that holds the ordering key; not null
         * @return a new literal
         */
        public Literal withKey(String key) {
            return new Literal(type, version, destination, aggregateType, key, outbox);
        }

        /**
         * A copy for another outbox.
         *
         * @param outbox the name of an outbox, or empty for the default one; not null
         * @return a new literal
         */
        public Literal withOutbox(String outbox) {
            return new Literal(type, version, destination, aggregateType, key, outbox);
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
        public String outbox() {
            return outbox;
        }
    }
}
