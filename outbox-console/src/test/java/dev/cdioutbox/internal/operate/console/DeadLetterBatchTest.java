package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.deadletter.DeadLetterFilter;
import dev.cdioutbox.internal.deadletter.DeadLetterQueue;
import dev.cdioutbox.internal.operate.DeadLetterOperations;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards that a loop over batches of dead letters ends when the letters are through that were counted. */
class DeadLetterBatchTest {

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"1, -", "100, -", "101, 0", "250, 0"})
    void nothingFollowsTheLastBatch(String below, Long after) {
        assertThat(api().sendBack(request(below)).after()).isEqualTo(after);
    }

    private static ApiRequest request(String below) {
        String path = "dead-letters/send-back";
        return ApiOperation.find("POST", path)
                .request(
                        "operator", Role.OPERATOR, path, Map.of("queue", new String[] {"aside"}, "below", new String[] {
                            below
                        }));
    }

    /** On a queue with more letters than are wanted, of which each is taken. */
    private static DeadLetterApi api() {
        DeadLetterApi api = new DeadLetterApi();
        api.outboxes = new Outboxes(List.of(new OutboxInstance(
                "default",
                new CurrentConfig(TestConfig.of("outbox.dead-letters.aside.jndi", "jms/aside")),
                (JdbcOutboxStore) null)));
        api.operations = new DeadLetterOperations() {
            @Override
            public DeadLetterBatch take(
                    OutboxInstance outbox,
                    DeadLetterQueue queue,
                    DeadLetterFilter filter,
                    int skip,
                    int limit,
                    boolean sendBack) {
                return new DeadLetterBatch(limit, (long) skip, null);
            }

            @Override
            public void look(OutboxInstance outbox) {}
        };
        return api;
    }
}
