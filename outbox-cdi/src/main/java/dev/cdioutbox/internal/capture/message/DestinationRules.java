package dev.cdioutbox.internal.capture.message;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

import dev.cdioutbox.internal.capture.event.EventType;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.StoredMessage.Body;

/** Refuses events that a destination could not send. */
record DestinationRules(OutboxConfig config) {

    /** These destinations, each of which must be configured, or stand for the handlers of the type. */
    List<String> known(EventType type, List<String> names) {
        for (String name : names) {
            DestinationConfig destination = config.destinations().get(name);
            if (destination != null && destination.isLocal()) {
                throw OutboxCode.HANDLER_AS_DESTINATION.exception(
                        type.eventClass().getName(), name);
            }
            if (destination == null && !name.equals(DestinationConfig.LOCAL)) {
                throw OutboxCode.UNKNOWN_DESTINATION.exception(
                        type.eventClass().getName(),
                        name,
                        name,
                        new TreeSet<>(config.destinations().keySet()));
            }
        }
        return names;
    }

    /**
     * The destinations that get a message of an event: those to which it goes, and each handler of its type.
     *
     * @param names known
     */
    List<String> receivers(EventType type, List<String> names) {
        List<String> receivers = Stream.concat(
                        names.stream().filter(name -> !name.equals(DestinationConfig.LOCAL)),
                        config.handlersOf(type.name()))
                .toList();
        if (receivers.isEmpty()) {
            throw OutboxCode.NOBODY_HANDLES.exception(type.eventClass().getName(), type.name());
        }
        return receivers;
    }

    /** Change data capture reads the database's log, and neither waits nor looks at the clock. */
    void requireTerms(Object event, Terms terms, List<String> destinations) {
        if (terms.notBefore() == null && terms.timeToLive() == null) {
            return;
        }
        for (String name : destinations) {
            if (config.destinations().get(name).isCdc()) {
                throw OutboxCode.CDC_TERMS.exception(
                        event.getClass().getName(), name, terms.notBefore() == null ? "let it expire" : "delay it");
            }
        }
    }

    /** A message must fit into the log of Liberty's messaging. */
    void requireRoom(Object event, Body body, List<String> destinations) {
        for (String name : destinations) {
            long limit = config.messagingLimit(name);
            if (body.bytes() > limit) {
                throw OutboxCode.LIBERTY_LOG_TOO_SMALL.exception(
                        "event " + event.getClass().getName(), body.bytes(), limit);
            }
        }
    }
}
