package dev.cdioutbox.tests.discovery;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

@OutboxEvent(type = "value.changed", destination = "absent")
public class Changed<T> {
    private final String id;
    private final T value;

    public Changed(String id, T value) {
        this.id = id;
        this.value = value;
    }

    @OutboxKey
    public String getId() {
        return id;
    }

    public T getValue() {
        return value;
    }
}
