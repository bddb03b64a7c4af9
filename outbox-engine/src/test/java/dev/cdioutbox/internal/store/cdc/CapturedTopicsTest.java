package dev.cdioutbox.internal.store.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoredMessage.Body;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.transport.TopicLimits;
import org.junit.jupiter.api.Test;

/** What would stop the connector is refused in fire(). */
class CapturedTopicsTest {
    private final CapturedTopics topics = new CapturedTopics(Map.of("orders", new TopicLimits(1_048_576, false)));

    @Test
    void recordAboveTheLimitIsRefused() {
        assertThatThrownBy(() -> require("orders", "1", 1_048_500))
                .hasMessageStartingWith("OBX-0351")
                .hasMessageContaining("the topic takes 1048576");
        assertThatCode(() -> require("orders", "1", 1_044_000)).doesNotThrowAnyException();
        assertThatCode(() -> require("of the dispatcher", null, 1_048_500)).doesNotThrowAnyException();
    }

    @Test
    void limitOfTheTopicCountsOnceItIsKnown() {
        topics.know("orders", new TopicLimits(6000, false));
        assertThatThrownBy(() -> require("orders", "1", 6000)).hasMessageStartingWith("OBX-0351");
        topics.know("orders", new TopicLimits(2_000_000, false));
        assertThatCode(() -> require("orders", "1", 1_048_500)).doesNotThrowAnyException();
    }

    @Test
    void compactedTopicTakesNoEventWithoutAKey() {
        assertThatCode(() -> require("orders", null, 10)).doesNotThrowAnyException();
        topics.know("orders", new TopicLimits(1_048_576, true));
        assertThatThrownBy(() -> require("orders", null, 10)).hasMessageStartingWith("OBX-0352");
        assertThatCode(() -> require("orders", "1", 10)).doesNotThrowAnyException();
    }

    /** A header, the attribute of CloudEvents, and the header of the key that comes with it. */
    @Test
    void aggregateIdCountsBesideTheKey() {
        NewMessage keyed = TestMessages.message("k".repeat(255), "text");
        assertThat(CapturedTopics.size(TestMessages.aggregate(keyed, "a".repeat(255))) - CapturedTopics.size(keyed))
                .isGreaterThanOrEqualTo(2 * 255);
    }

    private void require(String destination, String key, int bytes) {
        String text = "x".repeat(bytes);
        topics.require(List.of(new NewMessage(
                UUID.randomUUID(),
                new Event("OrderPlaced", 1, "Order", key),
                new Body("application/json", OutboxPayload.text(text)),
                Context.NONE,
                NewMessage.Terms.NONE,
                destination,
                Instant.now())));
    }
}
