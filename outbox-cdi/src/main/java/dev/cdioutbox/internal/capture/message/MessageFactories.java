package dev.cdioutbox.internal.capture.message;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.enterprise.inject.Instance;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.capture.event.BeanValidation;
import dev.cdioutbox.internal.capture.event.EventValidation;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.consume.ApplicationJsonb;
import dev.cdioutbox.internal.deployment.OptionalBeans;
import dev.cdioutbox.internal.deployment.PlatformServices;
import dev.cdioutbox.internal.transport.CausingMessage;
import dev.cdioutbox.spi.OutboxEnricher;
import dev.cdioutbox.spi.OutboxSerializer;

/**
 * Creates the message factories of the outboxes, which share what the application and the server bring: validator, serializer, and
 * the sources of metadata in their order.
 */
public record MessageFactories(EventValidation validator, OutboxSerializer serializer, List<MetadataSource> sources) {
    private static final String VALIDATOR = "jakarta.validation.Validator";

    /** @throws dev.cdioutbox.OutboxException OBX-02xx if one of them is missing, fails, or is there twice */
    public static MessageFactories of(Instance<Object> beans, TransactionSynchronizationRegistry transactions) {
        return of(beans, MessageFactories::jsonb, () -> cause(transactions));
    }

    /**
     * Without transactions.
     *
     * @param fallback the serializer for an application without one of its own
     */
    public static MessageFactories of(Instance<Object> beans, Function<Instance<Object>, OutboxSerializer> fallback) {
        return of(beans, fallback, () -> null);
    }

    private static MessageFactories of(
            Instance<Object> beans,
            Function<Instance<Object>, OutboxSerializer> fallback,
            Supplier<CausingMessage> causes) {
        return new MessageFactories(validator(beans), serializer(beans, fallback), sources(beans, causes));
    }

    private static CausingMessage cause(TransactionSynchronizationRegistry transactions) {
        return transactions.getTransactionKey() == null
                ? null
                : (CausingMessage) transactions.getResource(CausingMessage.class);
    }

    public MessageFactory factory(OutboxConfig config) {
        return new MessageFactory(config, validator, serializer, sources);
    }

    /** The JVM loads {@link BeanValidation}, with the types of that feature, only if the feature is there. */
    private static EventValidation validator(Instance<Object> beans) {
        return PlatformServices.isPresent(VALIDATOR) ? BeanValidation.of(beans) : EventValidation.NONE;
    }

    private static OutboxSerializer serializer(
            Instance<Object> beans, Function<Instance<Object>, OutboxSerializer> fallback) {
        return OptionalBeans.atMostOne(beans, OutboxSerializer.class).orElseGet(() -> fallback.apply(beans));
    }

    private static OutboxSerializer jsonb(Instance<Object> beans) {
        try {
            return new JsonbSerializer(ApplicationJsonb.of(beans));
        } catch (OutboxException e) {
            throw e;
        } catch (LinkageError | RuntimeException e) {
            throw OutboxCode.NO_SERIALIZER.exception(e, FailureReason.of(e));
        }
    }

    /** The application comes last, so that it can override what the others have set. */
    private static List<MetadataSource> sources(Instance<Object> beans, Supplier<CausingMessage> causes) {
        List<MetadataSource> sources = new ArrayList<>();
        sources.add(new Causation(causes));
        Telemetry.source().ifPresent(sources::add);
        sources.add(new Enrichers(beans.select(OutboxEnricher.class)));
        return sources;
    }
}
