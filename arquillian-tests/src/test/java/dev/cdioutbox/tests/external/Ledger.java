package dev.cdioutbox.tests.external;

import static dev.cdioutbox.tests.external.Landscape.tell;
import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

/**
 * Compares the messages in the broker, in their order and with duplicates, with the stored and acknowledged ones. The
 * broker copies each message to a second queue in the sender's transaction, and the ledger reads these copies.
 */
final class Ledger {
    private final Landscape landscape;
    private final long after;
    private final Map<String, List<Entry>> entries = new HashMap<>();

    /** Creates a ledger of the messages that are stored from now on. */
    Ledger(Landscape landscape) {
        this.landscape = landscape;
        this.after = Long.parseLong(landscape
                .database
                .query("SELECT COALESCE(max(seq), 0) FROM outbox_message")
                .get(0));
    }

    /**
     * Each stored message is in the broker once, after the earlier ones of its key, and has taken effect once; and each
     * acknowledged event was stored.
     */
    void assertNothingIsLostDoubledOrOvertaken(List<String> acknowledged) {
        landscape.awaitQuiet();
        read("default", "copy.outbox");
        read("news", "copy.news");
        tell("%d and %d messages compared", size("default"), size("news"));
        for (String destination : List.of("default", "news")) {
            assertEachStoredMessageOnce(destination);
            assertOrderOfEachKey(destination);
        }
        assertConsumedOnce();
        assertHasAll("default", acknowledged);
    }

    /** Reads the copies; call this when every message is published. */
    void read(String destination, String queue) {
        List<Entry> copies = entries.computeIfAbsent(destination, d -> new ArrayList<>());
        int stored = stored(destination).size();
        await(queue + " has all").atMost(LONG).until(() -> {
            copies.addAll(entries(queue));
            return copies.size() >= stored;
        });
        // A duplicate would be the last message in the queue.
        copies.addAll(entries(queue));
    }

    private List<Entry> entries(String queue) {
        return landscape.broker.drain(queue).stream()
                .map(Entry::of)
                .filter(entry -> entry.sequence() > after)
                .toList();
    }

    private List<String> stored(String destination) {
        return landscape.database.query("SELECT message_id FROM outbox_message WHERE destination = '%s' AND seq > %d"
                .formatted(destination, after));
    }

    void assertEachStoredMessageOnce(String destination) {
        List<Entry> copies = entries.get(destination);
        assertThat(copies).extracting(Entry::messageId).as("in the broker").doesNotHaveDuplicates();
        assertThat(copies)
                .extracting(Entry::messageId)
                .as("in the broker and in the table")
                .containsExactlyInAnyOrderElementsOf(stored(destination));
    }

    void assertEachStoredMessageAtLeastOnce(String destination, int mostCopies) {
        List<Entry> copies = entries.get(destination);
        List<String> stored = stored(destination);
        assertThat(copies).extracting(Entry::messageId).as("in the broker").hasSameElementsAs(stored);
        assertThat(copies.size() - stored.size()).as("copies").isBetween(1, mostCopies);
    }

    void assertOrderOfEachKey(String destination) {
        Map<String, Long> last = new HashMap<>();
        for (Entry copy : entries.get(destination)) {
            Long before = last.put(copy.key(), copy.sequence());
            assertThat(before == null || before < copy.sequence())
                    .as("%s came after %s", copy, before)
                    .isTrue();
        }
    }

    private void assertHasAll(String destination, List<String> acknowledged) {
        Set<String> got = new HashSet<>();
        entries.get(destination).forEach(copy -> got.add(copy.key() + " " + copy.eventType()));
        assertThat(got).containsAll(acknowledged);
    }

    private void assertConsumedOnce() {
        assertThat(landscape.database.query("SELECT message_id FROM shipment GROUP BY message_id HAVING count(*) > 1"))
                .as("consumed twice")
                .isEmpty();
    }

    private int size(String destination) {
        return entries.get(destination).size();
    }

    private record Entry(String messageId, String key, String eventType, long sequence) {

        static Entry of(Message message) {
            try {
                return new Entry(
                        message.getStringProperty("messageId"),
                        message.getStringProperty("aggregateId"),
                        message.getStringProperty("eventType"),
                        message.propertyExists("sequence") ? message.getLongProperty("sequence") : -1);
            } catch (JMSException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
