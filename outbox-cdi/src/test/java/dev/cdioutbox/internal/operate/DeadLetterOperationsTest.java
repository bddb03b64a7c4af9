package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.deadletter.DeadLetterFilter;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.Test;

/** Guards what the counts of dead letters say. */
class DeadLetterOperationsTest {
    private final Gauges gauges = new Gauges();
    private final DeadLetterOperations operations = new DeadLetterOperations() {
        @Override
        public int count(DeadLetterQueue queue, DeadLetterFilter filter, int most) {
            return Map.of("jms/shop", 3, "jms/billing", 0).get(queue.jndi());
        }
    };

    DeadLetterOperationsTest() {
        operations.gauges = gauges;
    }

    /** The empty one would hide the letters of the other one. */
    @Test
    void queuesOfOneNameInTwoOutboxesAreCountedApart() {
        OutboxConfig shop = TestConfig.of("outbox.dead-letters.aside.jndi", "jms/shop");
        OutboxConfig billing = TestConfig.ofOutbox(
                "billing",
                "outbox.dead-letters.aside.jndi",
                "jms/shop",
                "outbox.outboxes.billing.dead-letters.aside.jndi",
                "jms/billing");
        operations.look(instance(shop));
        operations.look(instance(billing));

        assertThat(letters(shop)).isEqualTo(3);
        assertThat(letters(billing)).isZero();
    }

    private static OutboxInstance instance(OutboxConfig config) {
        return new OutboxInstance(config.outbox(), new CurrentConfig(config), (JdbcOutboxStore) null);
    }

    private Integer letters(OutboxConfig config) {
        return gauges.deadLetters(config.console().deadLetters().get("aside")).letters();
    }
}
