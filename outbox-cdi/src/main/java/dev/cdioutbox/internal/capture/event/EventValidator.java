package dev.cdioutbox.internal.capture.event;

/** Says what is wrong with an event by the rules of its own class. */
@FunctionalInterface
public interface EventValidator {
    EventValidator NONE = event -> {};

    void validate(Object event);

    /** The application starts: what could not be made later, on some thread, is made now. */
    default void prepare() {}
}
