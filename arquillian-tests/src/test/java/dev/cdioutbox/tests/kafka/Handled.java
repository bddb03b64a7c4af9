package dev.cdioutbox.tests.kafka;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What the consumer of a page has handled. */
final class Handled {
    private static final Set<String> TRIED = ConcurrentHashMap.newKeySet();
    private static final List<String> DONE = new CopyOnWriteArrayList<>();

    private Handled() {}

    static void add(String id) {
        if (TRIED.add(id)) {
            throw new IllegalStateException("the first attempt fails");
        }
        DONE.add(id);
    }

    static long times(String id) {
        return DONE.stream().filter(id::equals).count();
    }
}
