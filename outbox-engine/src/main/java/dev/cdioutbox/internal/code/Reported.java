package dev.cdioutbox.internal.code;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What was reported and still lasts. What is found again and again is reported when it begins, and again only after it has
 * ended. Thread-safe.
 *
 * @param <T> tells two reports apart
 */
public final class Reported<T> {
    private final Set<T> lasting = new HashSet<>();

    /** Notes that something lasts. Returns whether it has begun, so that it is to be reported. */
    public synchronized boolean begin(T found) {
        return lasting.add(found);
    }

    /** Notes that something does not last. Returns whether it was reported before. */
    public synchronized boolean end(T over) {
        return lasting.remove(over);
    }

    /** Notes that nothing lasts. */
    public synchronized void endAll() {
        lasting.clear();
    }

    /** Notes that only these last. Returns those that have begun. */
    public synchronized List<T> beginOnly(Collection<T> found) {
        List<T> begun = found.stream()
                .filter(each -> !lasting.contains(each))
                .distinct()
                .toList();
        lasting.clear();
        lasting.addAll(found);
        return begun;
    }
}
