package dev.cdioutbox.internal.dispatch.delivery;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.RepeatedLine;
import dev.cdioutbox.internal.dispatch.publish.PublisherCall;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;

/** Asks a sender for the broker's ids of the messages that it has sent. */
final class BrokerIds {
    private static final Logger LOG = Logger.getLogger(BrokerIds.class.getName());

    private static final RepeatedLine UNKNOWN = new RepeatedLine();

    private BrokerIds() {}

    /**
     * The ids that the sender knows, by sequence. A failure must not fail the batch: a transport without JTA transactions has
     * committed it, and would get it twice.
     *
     * @param destination got the messages
     */
    static Map<Long, String> of(Sender sender, List<OutboxMessage> sent, DestinationId destination) {
        Map<Long, String> ids = new HashMap<>();
        for (OutboxMessage message : sent) {
            PublishException unknown = PublisherCall.failureOf(() -> {
                String id = sender.brokerMessageId(message);
                if (id != null) {
                    ids.put(message.sequence(), id);
                }
            });
            int due = unknown == null ? 0 : UNKNOWN.due(System.nanoTime());
            if (due > 0) {
                String line =
                        OutboxCode.BROKER_ID_UNKNOWN.text(destination, message.id(), FailureReason.of(unknown), due);
                LOG.log(Level.WARNING, line, unknown);
            }
        }
        return ids;
    }
}
