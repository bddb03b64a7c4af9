package dev.cdioutbox.internal.capture.event;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.cdioutbox.internal.code.OutboxCode;

/** Which class owns the name of an event type. Refuses two classes with one name (OBX-0204). Thread-safe. */
final class TypeNames {
    private final Map<String, EventType> owners = new ConcurrentHashMap<>();
    private final int most;

    /** @param most how many names are kept of types that an injection point or {@code select()} describes */
    TypeNames(int most) {
        this.most = most;
    }

    /** Claims a name for an annotated class only. */
    void claim(EventType type) {
        EventType owner = owners.putIfAbsent(type.name(), type);
        if (owner != null && owner.eventClass() != type.eventClass()) {
            throw duplicate(owner, type);
        }
    }

    /**
     * Claims a name for a class that a qualifier describes, which may share it with its subclasses. The superclass owns the name, in
     * any order of registration.
     */
    void share(EventType type) {
        if (owners.size() < most || owners.containsKey(type.name())) {
            owners.merge(type.name(), type, TypeNames::superclass);
        }
    }

    private static EventType superclass(EventType owner, EventType other) {
        if (owner.eventClass().isAssignableFrom(other.eventClass())) {
            return owner;
        }
        if (other.eventClass().isAssignableFrom(owner.eventClass())) {
            return other;
        }
        throw duplicate(owner, other);
    }

    /** Forgets a name if this type owns it. */
    void release(EventType type) {
        owners.remove(type.name(), type);
    }

    Collection<EventType> owners() {
        return owners.values();
    }

    private static RuntimeException duplicate(EventType one, EventType other) {
        return OutboxCode.DUPLICATE_TYPE.exception(one.name(), place(one.eventClass()), place(other.eventClass()));
    }

    /** The class with its loader, since two loaders may have a class of the same name. */
    private static String place(Class<?> eventClass) {
        return "%s (loaded by %s)".formatted(eventClass.getName(), eventClass.getClassLoader());
    }
}
