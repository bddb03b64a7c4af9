package dev.cdioutbox.internal.handle;

import java.util.concurrent.Callable;

import jakarta.enterprise.inject.spi.BeanManager;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.transport.CausingMessage;
import dev.cdioutbox.internal.transport.Traces;
import dev.cdioutbox.spi.DestinationId;

/** Calls the handlers in a unit test, which has neither transactions nor traces. The test kit uses it. Thread-safe. */
public final class UnitTestHandlers {
    private final Handlers handlers;
    private final HandlerCall call;

    private UnitTestHandlers(Handlers handlers, HandlerCall call) {
        this.handlers = handlers;
        this.call = call;
    }

    /** The handlers of a container that has the extension. */
    public static UnitTestHandlers of(BeanManager manager) {
        HandlerExtension extension = manager.getExtension(HandlerExtension.class);
        return new UnitTestHandlers(extension.handlers(), extension.call(manager, new NoTraces()));
    }

    /**
     * Calls the handler of a destination.
     *
     * @return false if the destination is no handler
     * @throws Exception that of the handler, or a PublishException (OBX-0460) if it cannot read the message
     */
    public boolean handle(String outbox, OutboxMessage message) throws Exception {
        HandlerMethod handler =
                handlers.find(outbox, message.delivery().destination()).orElse(null);
        if (handler != null) {
            call.handle(handler, CausingMessage.of(message), call.arguments(handler, message));
        }
        return handler != null;
    }

    /** In a test, nobody records spans. */
    static final class NoTraces implements Traces {
        @Override
        public SendSpan sending(OutboxMessage message, DestinationId destination, String transport, String target) {
            return SendSpan.NONE;
        }

        @Override
        public <T> T processing(CausingMessage received, String transport, String target, Callable<T> work)
                throws Exception {
            return work.call();
        }
    }
}
