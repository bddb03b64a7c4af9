package dev.cdioutbox.testing;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The events that one call captured. Immutable.
 *
 * @param <R> the type of the call's result
 */
public final class Captured<R> {
    private final @Nullable R result;
    private final List<CapturedEvent> events;

    Captured(@Nullable R result, List<CapturedEvent> events) {
        this.result = result;
        this.events = List.copyOf(events);
    }

    /**
     * The result of the call.
     *
     * @return the value; null for a call without a result
     */
    public @Nullable R result() {
        return result;
    }

    /**
     * The captured events, in the order of the {@code fire()} calls.
     *
     * @return the events; never null
     */
    public List<CapturedEvent> events() {
        return events;
    }

    /**
     * The captured events of a class, in the order of the {@code fire()} calls.
     *
     * @param <T> the class of the events
     * @param type their class, or one that they extend; not null
     * @return the fired objects; never null
     */
    public <T> List<T> of(Class<T> type) {
        return events.stream()
                .map(CapturedEvent::event)
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    /**
     * Asserts that the call captured these events in this order, and no other event.
     *
     * @param expected the events; none of them null. No argument means no captured event
     * @return this
     * @throws AssertionError with both lists if they differ
     */
    public Captured<R> assertExactly(ExpectedEvent... expected) {
        boolean same = events.size() == expected.length;
        for (int i = 0; same && i < expected.length; i++) {
            same = expected[i].isMetBy(events.get(i));
        }
        if (!same) {
            throw new AssertionError(
                    "expected exactly" + lines(Arrays.asList(expected)) + "but captured" + lines(events));
        }
        return this;
    }

    private static String lines(List<?> all) {
        return all.isEmpty()
                ? " no event, "
                : all.stream().map(any -> "\n  " + any).collect(Collectors.joining("", ":", "\n"));
    }
}
