package dev.cdioutbox.internal.capture.event;

import java.lang.annotation.Annotation;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

import dev.cdioutbox.OutboxAggregateId;
import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;

/** The property of an event class that holds the ordering key or the aggregate's id. Reads its text of an event. */
public final class EventProperty {
    static final int MAX_LENGTH = 255;

    /** What a property is for. */
    enum Use {
        KEY(OutboxKey.class, "key"),
        AGGREGATE_ID(OutboxAggregateId.class, "aggregate id");

        private final Class<? extends Annotation> annotation;
        private final String word;

        Use(Class<? extends Annotation> annotation, String word) {
            this.annotation = annotation;
            this.word = word;
        }

        boolean marks(AnnotatedElement member) {
            return member.isAnnotationPresent(annotation);
        }

        /** The name of the annotation. */
        String annotation() {
            return annotation.getSimpleName();
        }

        String word() {
            return word;
        }
    }

    private final Use use;
    private final Member member;

    EventProperty(Use use, Member member) {
        this.use = use;
        this.member = member;
        // If the JVM refuses this, the member may still be public; otherwise read() reports the problem.
        ((AccessibleObject) member).trySetAccessible();
    }

    String name() {
        return member.getName();
    }

    /** @return null if the aggregate id is null, and so the key */
    public String read(Object event) {
        String read = textOf(event);
        if (read == null) {
            if (use == Use.KEY) {
                throw OutboxCode.NULL_KEY.exception(event.getClass().getName(), name());
            }
            return null;
        }
        requireStorable(event, read);
        return read;
    }

    private String textOf(Object event) {
        try {
            return text(member instanceof Field field ? field.get(event) : ((Method) member).invoke(event));
        } catch (InvocationTargetException e) {
            throw unusable(event, e.getCause(), FailureReason.of(e.getCause()));
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw unusable(event, e, FailureReason.of(e));
        }
    }

    /** Two equal keys must have the same text, on every node and at any time. */
    private static String text(Object value) {
        if (value instanceof Optional<?> optional) {
            return text(optional.orElse(null));
        }
        if (value instanceof OptionalInt optional) {
            return optional.isPresent() ? text(optional.getAsInt()) : null;
        }
        if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? text(optional.getAsLong()) : null;
        }
        if (value instanceof OptionalDouble optional) {
            return optional.isPresent() ? text(optional.getAsDouble()) : null;
        }
        String problem = StableText.problemOf(value);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        return value == null ? null : value.toString();
    }

    private void requireStorable(Object event, String text) {
        if (text.length() > MAX_LENGTH) {
            throw use == Use.KEY
                    ? OutboxCode.KEY_TOO_LONG.exception(event.getClass().getName(), name(), text.length(), MAX_LENGTH)
                    : unusable(
                            event,
                            null,
                            "it has %s characters; at most %s are allowed".formatted(text.length(), MAX_LENGTH));
        }
        String wrong = StorableText.problem(text);
        if (wrong != null) {
            throw unusable(event, null, "it " + wrong);
        }
    }

    private RuntimeException unusable(Object event, Throwable cause, String why) {
        OutboxCode code = use == Use.KEY ? OutboxCode.KEY_UNREADABLE : OutboxCode.AGGREGATE_ID_UNUSABLE;
        return code.exception(cause, event.getClass().getName(), name(), why);
    }
}
