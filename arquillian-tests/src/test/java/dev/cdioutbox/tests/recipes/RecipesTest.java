package dev.cdioutbox.tests.recipes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.crypto.KeyGenerator;
import javax.crypto.SecretKey;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.testing.CapturedEvents;
import org.junit.jupiter.api.Test;

/** The recipes of docs/recipes.md that need no server. */
class RecipesTest {
    private static final byte OLD = 1;
    private static final byte NEW = 2;

    private final Blobs blobs = new Blobs();
    private final CapturedEvents outbox = CapturedEvents.create();

    @Test
    void whoeverGetsTheEventFindsItsDocument() {
        byte[] document = "a long document".getBytes(UTF_8);
        InvoiceReady event = (InvoiceReady) outbox.during(() -> invoices().send("i-1", document))
                .events()
                .get(0)
                .event();
        AtomicReference<byte[]> mailed = new AtomicReference<>();
        InvoiceMail handler = new InvoiceMail();
        handler.blobs = blobs;
        handler.mail = (invoice, content) -> mailed.set(content);

        handler.send(event);
        assertThat(mailed.get()).isEqualTo(document);
    }

    /** The blob is stored first: after an event without its blob, its receiver could do nothing. */
    @Test
    void documentThatCannotBeStoredIsNotAnnounced() {
        blobs.isDown = true;

        assertThatThrownBy(() -> invoices().send("i-1", new byte[] {1})).hasMessage("down");
        assertThat(outbox.all()).isEmpty();
    }

    private Invoices invoices() {
        Invoices invoices = new Invoices();
        invoices.blobs = blobs;
        invoices.ready = outbox.event(InvoiceReady.class);
        return invoices;
    }

    private static final class Blobs implements BlobStore {
        private final Map<String, byte[]> contents = new HashMap<>();
        private boolean isDown;

        @Override
        public void put(String name, byte[] content) {
            if (isDown) {
                throw new IllegalStateException("down");
            }
            contents.put(name, content);
        }

        @Override
        public byte[] get(String name) {
            return contents.get(name);
        }
    }

    @Test
    void payloadIsReadWithTheKeyThatEncryptedIt() throws Exception {
        SecretKey old = key();
        EncryptingSerializer serializer = new EncryptingSerializer();
        serializer.cipher = new PayloadCipher(Map.of(OLD, old), OLD);
        OrderPlaced event = new OrderPlaced("o-1", "Ada");

        List<OutboxPayload> payloads = List.of(serializer.serialize(event), serializer.serialize(event));
        PayloadCipher consumer = new PayloadCipher(Map.of(OLD, old, NEW, key()), NEW);

        assertThat(payloads.get(0)).as("a text that repeats does not show").isNotEqualTo(payloads.get(1));
        for (OutboxPayload payload : payloads) {
            assertThat(payload.isBinary()).isTrue();
            assertThat(new String(payload.toBytes(), UTF_8)).doesNotContain("Ada");
            assertThat(new String(consumer.decrypt(payload.toBytes()), UTF_8))
                    .isEqualTo("{\"customer\":\"Ada\",\"orderId\":\"o-1\"}");
        }
        byte[] changed = payloads.get(0).toBytes();
        changed[changed.length - 1]++;
        assertThatThrownBy(() -> consumer.decrypt(changed)).isInstanceOf(GeneralSecurityException.class);
    }

    private static SecretKey key() throws GeneralSecurityException {
        return KeyGenerator.getInstance("AES").generateKey();
    }
}
