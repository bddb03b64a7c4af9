package dev.cdioutbox.jms.internal;

import java.util.Optional;
import java.util.Set;
import java.util.logging.Logger;

import jakarta.ejb.MessageDriven;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.annotation.HandlesTypes;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.jms.IdempotentConsumer;

/**
 * Finds the consumers that CDI does not: where it looks for no beans, a message-driven bean is one all the same, and what
 * stands on it would have no effect and nobody be told.
 */
@HandlesTypes({IdempotentConsumer.class, MessageDriven.class})
public final class ConsumerInitializer implements ServletContainerInitializer {
    private static final Logger LOG = Logger.getLogger(ConsumerInitializer.class.getName());

    @Override
    public void onStartup(Set<Class<?>> found, ServletContext application) {
        if (found != null) {
            extension().ifPresent(extension -> require(extension, found));
        }
    }

    private static void require(ConsumerExtension extension, Set<Class<?>> found) {
        try {
            found.forEach(extension::requireSeen);
        } catch (OutboxException refused) {
            // Liberty says no more than that the application was not started.
            LOG.severe(refused.getMessage());
            throw refused;
        }
    }

    /** Empty where no CDI container runs: without it there is no outbox in this application. */
    private static Optional<ConsumerExtension> extension() {
        try {
            return CDI.current().select(ConsumerExtension.class).stream().findFirst();
        } catch (IllegalStateException none) {
            return Optional.empty();
        }
    }
}
