package dev.cdioutbox.internal.store.sql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The texts of a statement by its shape, such as the columns and the number of its rows. Each text is put together once,
 * because that cost a sixth of the CPU that a captured event added. Thread-safe.
 *
 * @param <S> the shape: a value with {@code equals}
 */
public final class Texts<S> {
    /** An application has some tens of shapes. At this number the map is emptied, so that it cannot grow for ever. */
    private static final int MOST = 1000;

    private final Map<S, String> byShape = new ConcurrentHashMap<>();
    private final Function<S, String> build;

    public Texts(Function<S, String> build) {
        this.build = build;
    }

    public String of(S shape) {
        String known = byShape.get(shape);
        if (known != null) {
            return known;
        }
        if (byShape.size() >= MOST) {
            byShape.clear();
        }
        return byShape.computeIfAbsent(shape, build);
    }
}
