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
     * Calls the handler, which may throw anything.
     *
     * @throws PublishException OBX-0460 if the handler cannot read the message
     */
    void handle(HandlerMethod handler, OutboxMessage message) throws Exception {
        Object[] arguments = arguments(handler, message);
        CausingMessage cause = CausingMessage.of(message);
        requests.during(() -> traces.processing(
                cause, DestinationConfig.LOCAL, handler.name(), () -> cause.during(() -> invoke(handler, arguments))));
    }

    private Object[] arguments(HandlerMethod handler, OutboxMessage message) throws PublishException {
        Object event = read(handler, received(message));
        return Arrays.stream(handler.method().getParameterTypes())
                .map(type -> type == OutboxMessage.class ? message : event)
                .toArray();
    }

    private static Object read(HandlerMethod handler, ReceivedEvent received) throws PublishException {
        Class<?> type = handler.eventClass();
        if (type == ReceivedEvent.class) {
            return received;
        }
        int[] versions = handler.versions();
        try {
            return received.as(
                    Objects.requireNonNull(received.type()),
                    type,
                    versions.length == 0 ? new int[] {received.version()} : versions);
        } catch (OutboxException unreadable) {
            String text = OutboxCode.HANDLER_CANNOT_READ.text(handler, FailureReason.of(unreadable));
            throw new PublishException(Blame.MESSAGE, text, unreadable);
        }
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
            method.invoke(manager.getReference(bean, view.type(), creation), arguments);
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
}
