package dev.cdioutbox.spi;

import dev.cdioutbox.OutboxPayload;
import org.jspecify.annotations.Nullable;

/**
 * Hides parts of payloads from the users of the console and of its HTTP API, whatever their role. Implement this interface as a
 * CDI bean where the JSON pointers of {@code outbox.console.mask} are not enough, such as for XML or Avro. The outbox calls every such
 * bean, one with the result of the other, and applies the pointers last.
 *
 * <pre>{@code
 * @ApplicationScoped
 * public class CardMask implements PayloadMask {
 *     // Leaves the last four digits of a card's number.
 *     public OutboxPayload mask(String eventType, String contentType, OutboxPayload payload) {
 *         return payload.isBinary()
 *                 ? null
 *                 : OutboxPayload.text(payload.text().replaceAll("\\d{12}(?=\\d{4})", "****"));
 *     }
 * }
 * }</pre>
 *
 * <p>The outbox calls a mask before it shows a payload or lets it be downloaded, also for a dead letter of a consumer, on the thread of
 * the request and outside of a transaction. Many threads may call at once. It changes neither what is stored nor what is sent,
 * and {@code OutboxOperations} returns payloads without masks. If a mask throws anything but an error of the virtual machine
 * other than a StackOverflowError, the whole payload is hidden, and the log has OBX-0650 with the class of what was thrown. The outbox
 * calls no mask for a user who may not see payloads.
 */
@FunctionalInterface
public interface PayloadMask {

    /**
     * Hides what the users of the console may not see.
     *
     * @param eventType the type of the event; null for a dead letter that has none
     * @param contentType the media type of the payload; null for a dead letter that has none
     * @param payload the payload as it is stored, or as another mask has returned it; not null, and not erased
     * @return what users may see: the same object if that is all; null to hide the whole payload
     */
    @Nullable
    OutboxPayload mask(@Nullable String eventType, @Nullable String contentType, OutboxPayload payload);
}
