package dev.cdioutbox.jms.internal.consume;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.jms.IdempotentConsumer;

/**
 * Warns once of each ordered consumer that handles several messages at a time. The number of sessions is set in an
 * activation specification of the server, which an application cannot read.
 */
@ApplicationScoped
public class OverlapWarning {
    private static final Logger LOG = Logger.getLogger(OverlapWarning.class.getName());

    /** By the names of the consumers. */
    private final Map<String, AtomicInteger> handling = new ConcurrentHashMap<>();

    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    void begin(IdempotentConsumer consumer) {
        if (consumer.ordered() && count(consumer).incrementAndGet() > 1 && warned.add(consumer.value())) {
            LOG.warning(OutboxCode.CONSUMER_OVERLAPS.text(consumer.value()));
        }
    }

    void end(IdempotentConsumer consumer) {
        if (consumer.ordered()) {
            count(consumer).decrementAndGet();
        }
    }

    private AtomicInteger count(IdempotentConsumer consumer) {
        return handling.computeIfAbsent(consumer.value(), first -> new AtomicInteger());
    }
}
