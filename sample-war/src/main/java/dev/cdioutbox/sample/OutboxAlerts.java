package dev.cdioutbox.sample;

import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import dev.cdioutbox.DestinationFailing;
import dev.cdioutbox.DestinationRecovered;
import dev.cdioutbox.MessageAbandoned;

/**
 * Notifies the people on call; a log line replaces the mail. The outbox calls these methods on a separate thread,
 * without a transaction.
 */
@ApplicationScoped
public class OutboxAlerts {
    private static final Logger LOG = Logger.getLogger(OutboxAlerts.class.getName());

    void abandoned(@Observes MessageAbandoned message) {
        String what =
                message.event() == null ? "an unreadable row" : message.event().type();
        mail("%s (sequence %d) was not delivered to %s: %s"
                .formatted(what, message.sequence(), message.destination(), message.error()));
    }

    void failing(@Observes DestinationFailing destination) {
        mail("nothing reaches %s: %s".formatted(destination.destination(), destination.reason()));
    }

    void recovered(@Observes DestinationRecovered destination) {
        mail("messages reach %s again".formatted(destination.destination()));
    }

    private static void mail(String subject) {
        LOG.info(() -> "To: on-call@example.org; Subject: " + subject);
    }
}
