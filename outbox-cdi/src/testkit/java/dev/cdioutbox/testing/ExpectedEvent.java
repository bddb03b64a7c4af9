package dev.cdioutbox.testing;

import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/** Describes an event that a test expects. Immutable. */
public final class ExpectedEvent {
    private final String description;
    private final Predicate<CapturedEvent> condition;

    private ExpectedEvent(String description, Predicate<CapturedEvent> condition) {
        this.description = description;
        this.condition = condition;
    }

    /**
     * An event that equals this one.
     *
     * @param expected the event, compared by {@code equals}; not null
     * @return the expectation; never null
     */
    public static ExpectedEvent event(Object expected) {
        Objects.requireNonNull(expected, "expected");
        return new ExpectedEvent(expected.toString(), captured -> expected.equals(captured.event()));
    }

    /**
     * Any event of a class.
     *
     * @param type the class of the event, or one that it extends; not null
     * @return the expectation; never null
     */
    public static ExpectedEvent eventOf(Class<?> type) {
        return eventOf(type, any -> true);
    }

    /**
     * An event of a class that meets a condition.
     *
     * @param <T> the class of the event
     * @param type the class of the event, or one that it extends; not null
     * @param condition for example {@code placed -> placed.total() > 0}; not null
     * @return the expectation; never null
     */
    public static <T> ExpectedEvent eventOf(Class<T> type, Predicate<? super T> condition) {
        Objects.requireNonNull(condition, "condition");
        return new ExpectedEvent(
                "an event of " + type.getName(),
                captured -> type.isInstance(captured.event()) && condition.test(type.cast(captured.event())));
    }

    /**
     * The same event with this ordering key. Without this call, any key matches.
     *
     * @param key the key as text; null for no key
     * @return the narrower expectation; never null
     */
    public ExpectedEvent withKey(@Nullable String key) {
        return new ExpectedEvent(
                description + " with key " + key,
                captured -> condition.test(captured) && Objects.equals(key, captured.key()));
    }

    boolean isMetBy(CapturedEvent captured) {
        return condition.test(captured);
    }

    @Override
    public String toString() {
        return description;
    }
}
