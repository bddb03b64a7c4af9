package dev.cdioutbox.internal.capture.event;

/** Validates an event by the constraints of its class. Throws an OutboxException for an invalid event. */
@FunctionalInterface
public interface EventValidation {
    EventValidation NONE = event -> {};

    void validate(Object event);

    /** Creates resources at the start of the application that a later thread could not create. */
    default void prepare() {}
}
