package dev.cdioutbox.internal.dispatch.crash;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.StoredMessage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards which messages are sent alone, or no more, after a crash. */
class SuspectBatchTest {
    private static final int MOST = 3;

    /** The keys a, b, a, b, and two messages without a key. A second passes from one to the next. */
    private static final List<OutboxMessage> BATCH =
            List.of(stored(0, "a"), stored(1, "b"), stored(2, "a"), stored(3, "b"), stored(4, null), stored(5, null));

    @ParameterizedTest
    @CsvSource({
        // unfinished sends of each message, second of the last crash; crashing, the first of them, sent alone
        "000000, -1, '', '', ''",
        "000000, 9, '', '', 012345",
        "000000, 1, '', '', 01",
        "010000, -1, '', '', 1",
        "000200, -1, '', '', 13",
        "000020, -1, '', '', 4",
        "300000, -1, 0, 0, ''",
        "300000, 9, 0, 0, 1345",
        "003000, -1, 2, '', 0",
        "003003, -1, 25, 5, 0",
        "030300, -1, 13, 1, ''",
        "000034, 0, 45, 4, 0",
    })
    void messagesThatMayHaveCrashedTheirProcessAreSentAloneInTheOrderOfTheirKeys(
            String unfinished, long lastCrash, String crashing, String first, String alone) {
        SuspectBatch batch = new SuspectBatch(BATCH, counts(unfinished), MOST, Instant.ofEpochSecond(lastCrash));

        assertThat(batch.crashing()).isEqualTo(messages(crashing));
        assertThat(batch.firstCrashing().stream().toList()).isEqualTo(messages(first));
        assertThat(batch.alone(BATCH)).isEqualTo(messages(alone));
    }

    private static Map<Long, Integer> counts(String digits) {
        return IntStream.range(0, digits.length())
                .filter(i -> digits.charAt(i) != '0')
                .boxed()
                .collect(toMap(Integer::longValue, i -> digits.charAt(i) - '0'));
    }

    private static List<OutboxMessage> messages(String digits) {
        return digits.chars().mapToObj(digit -> BATCH.get(digit - '0')).toList();
    }

    private static OutboxMessage stored(long sequence, String key) {
        return new StoredMessage(
                sequence,
                new UUID(0, sequence),
                new StoredMessage.Event("OrderPlaced", 1, "Order", key),
                new StoredMessage.Body("text/plain", OutboxPayload.text("text")),
                StoredMessage.Context.NONE,
                StoredMessage.Terms.NONE,
                new StoredMessage.Delivery("orders", OutboxStatus.PENDING, 0, null, null, null, null, null),
                Instant.ofEpochSecond(sequence),
                Instant.ofEpochSecond(sequence));
    }
}
