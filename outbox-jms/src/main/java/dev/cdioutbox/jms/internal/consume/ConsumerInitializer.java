package dev.cdioutbox.jms.internal.consume;

import java.util.Optional;
import java.util.Set;

import jakarta.ejb.MessageDriven;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.annotation.HandlesTypes;

import dev.cdioutbox.jms.IdempotentConsumer;

/**
 * Finds consumers in archives without bean discovery, which CDI does not see. A message-driven bean works there, but
 * the annotation on it would silently have no effect.
 */
@HandlesTypes({IdempotentConsumer.class, MessageDriven.class})
public final class ConsumerInitializer implements ServletContainerInitializer {

    @Override
    public void onStartup(Set<Class<?>> found, ServletContext application) {
        if (found != null) {
            extension().ifPresent(extension -> found.forEach(extension::requireSeen));
        }
    }

    /** Empty without a CDI container: then this application has no outbox. */
    private static Optional<ConsumerExtension> extension() {
        try {
            return CDI.current().select(ConsumerExtension.class).stream().findFirst();
        } catch (IllegalStateException none) {
            return Optional.empty();
        }
    }
}
