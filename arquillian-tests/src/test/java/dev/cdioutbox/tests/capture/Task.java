package dev.cdioutbox.tests.capture;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Work that a timer or a message-driven bean looks up by name. */
public record Task(String name, Runnable work) {
    private static final Map<String, Task> ALL = new ConcurrentHashMap<>();

    static Task of(String name, Runnable work) {
        Task task = new Task(name, work);
        ALL.put(name, task);
        return task;
    }

    static Task named(String name) {
        return ALL.get(name);
    }
}
