package dev.cdioutbox.internal.capture.message;

import java.util.function.Supplier;

import dev.cdioutbox.internal.capture.event.EventMetadata;
import dev.cdioutbox.internal.capture.event.MetadataRules;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.transport.CausingMessage;

/**
 * Links an event to the message that its thread handles, if there is one: causation id, correlation id, tenant, trace, and
 * the number of its generation.
 */
public final class Causation implements MetadataSource {
    /** Longer chains of handlers are taken for endless ones. */
    static final int MOST_GENERATIONS = 100;

    /** Supplies the message that the current transaction handles, or null. */
    private final Supplier<CausingMessage> ofTransaction;

    public Causation(Supplier<CausingMessage> ofTransaction) {
        this.ofTransaction = ofTransaction;
    }

    /** @throws dev.cdioutbox.EventRefusedException OBX-0135 if the chain of causes is too long */
    @Override
    public void describe(Object event, EventMetadata metadata) {
        CausingMessage ofThread = CausingMessage.current();
        CausingMessage cause = ofThread == null ? ofTransaction.get() : ofThread;
        if (cause != null) {
            metadata.causationId(MetadataRules.idOrNull(cause.id()));
            metadata.correlationId(MetadataRules.correlationIdOrNull(cause.correlationId()));
            metadata.tenantId(MetadataRules.idOrNull(cause.tenantId()));
            metadata.trace("traceparent", cause.traceparent());
            // A tracestate without a traceparent has no meaning.
            boolean traced = metadata.headers().containsKey("traceparent");
            metadata.trace("tracestate", traced ? cause.tracestate() : null);
            count(cause.generation(), event, metadata);
        }
    }

    private static void count(int generation, Object event, EventMetadata metadata) {
        if (generation >= MOST_GENERATIONS) {
            throw OutboxCode.TOO_MANY_GENERATIONS.exception(event.getClass().getName(), MOST_GENERATIONS);
        }
        if (generation > 0) {
            metadata.generation(generation + 1);
        }
    }
}
