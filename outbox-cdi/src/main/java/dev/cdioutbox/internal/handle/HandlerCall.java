package dev.cdioutbox.internal.handle;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;

import jakarta.enterprise.context.spi.CreationalContext;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.consume.ApplicationJsonb;
import dev.cdioutbox.internal.consume.ReceivedJsonEvent;
import dev.cdioutbox.internal.transport.CausingMessage;
import dev.cdioutbox.internal.transport.Envelope;
import dev.cdioutbox.internal.transport.MessageOptions;
import dev.cdioutbox.internal.transport.Traces;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Calls a handler with a message, in the transaction of the caller: reads the event, and makes the message the cause of what the
 * handler fires. Thread-safe.
 */
final class HandlerCall {
    private static final MessageOptions PLAIN = new MessageOptions(false, null, false);

    private final BeanManager manager;
    private final Traces traces;
    private final RequestScope requests;
    private volatile Object jsonb;

    HandlerCall(BeanManager manager, Traces traces, RequestScope requests) {
        this.manager = manager;
        this.traces = traces;
        this.requests = requests;
    }

    /**
     * Reads the message, for {@link #handle}.
     *
     * @throws PublishException OBX-0460 if the handler cannot read the message
     */
    Object[] arguments(HandlerMethod handler, OutboxMessage message) throws PublishException {
        Object event = read(handler, received(message));
        return Arrays.stream(handler.method().getParameterTypes())
                .map(type -> type == OutboxMessage.class ? message : event)
                .toArray();
    }

    /** Calls the handler, which may throw anything. */
    void handle(HandlerMethod handler, CausingMessage cause, Object[] arguments) throws Exception {
        requests.during(() -> traces.processing(
                cause, DestinationConfig.LOCAL, handler.name(), () -> cause.during(() -> invoke(handler, arguments))));
    }

    /** JSON-B would make an object of the payload of any event, with nulls. */
    private static Object read(HandlerMethod handler, ReceivedEvent received) throws PublishException {
        String type = Objects.requireNonNull(received.type());
        if (handler.types().stream().noneMatch(own -> OutboxConfig.matches(own, type))) {
            throw unreadable(Blame.UNKNOWN, handler, "it is for the event types %s".formatted(handler.types()), null);
        }
        int version = received.version();
        int[] versions = handler.versions();
        if (versions.length > 0 && Arrays.stream(versions).noneMatch(own -> own == version)) {
            // During an update, another node may have a handler for it.
            String why =
                    "it is for the version %s, and the message has %s".formatted(Arrays.toString(versions), version);
            throw unreadable(Blame.UNKNOWN, handler, why, null);
        }
        if (handler.eventClass() == ReceivedEvent.class) {
            return received;
        }
        try {
            return received.as(type, handler.eventClass(), version);
        } catch (OutboxException e) {
            throw unreadable(Blame.MESSAGE, handler, FailureReason.of(e), e);
        }
    }

    private static PublishException unreadable(Blame blame, HandlerMethod handler, String why, Exception cause) {
        return new PublishException(blame, OutboxCode.HANDLER_CANNOT_READ.text(handler, why), cause);
    }

    private ReceivedEvent received(OutboxMessage message) {
        Map<String, String> texts = Envelope.of(message, false, PLAIN, "");
        texts.put("schemaVersion", String.valueOf(message.event().version()));
        texts.put("sequence", String.valueOf(Envelope.sequence(message)));
        return new ReceivedJsonEvent(
                message.event().type(), Map.copyOf(texts), message.body().payload(), this::jsonb);
    }

    /** Made at the first use, and typed as Object: an application with other formats may lack JSON-B. */
    private Object jsonb() {
        if (jsonb == null) {
            jsonb = ApplicationJsonb.of(manager.createInstance());
        }
        return jsonb;
    }

    private Void invoke(HandlerMethod handler, Object[] arguments) throws Exception {
        HandlerMethod.View view = handler.view().orElseThrow();
        Bean<?> bean = handler.bean();
        CreationalContext<?> creation = manager.createCreationalContext(bean);
        try {
            Method method = view.method();
            // The class may be package-private.
            method.setAccessible(true);
            method.invoke(reference(manager, handler, creation), arguments);
            return null;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception failure) {
                throw failure;
            }
            throw (Error) e.getCause();
        } finally {
            // Destroys a dependent bean.
            creation.release();
        }
    }

    /** What the container lets others call of the bean. */
    static Object reference(BeanManager manager, HandlerMethod handler, CreationalContext<?> creation) {
        return manager.getReference(handler.bean(), handler.view().orElseThrow().type(), creation);
    }
}
