package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EachDatabase;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** Guards that a message larger than a batch, and larger than the broker accepts, costs itself only. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HugeRowTest {
    static {
        // The server's start would exceed the timeout of the first test.
        Database.POSTGRESQL.start();
    }

    private static final String HUGE = "x".repeat(6 * 1024 * 1024);

    @ParameterizedTest(allowZeroInvocations = true)
    @EachDatabase({Database.H2, Database.POSTGRESQL})
    void hugeRowCostsNeitherTheQueueNorTheListOfTheAbandoned(Database kind) {
        try (DispatchScene scene = new DispatchScene(
                kind == Database.H2 ? new TestDatabase() : new TestDatabase(kind), "outbox.partitions", "1")) {
            scene.write(numbered(0, 50, 10));
            scene.write(List.of(message("huge", HUGE), message("huge", "follower"), message("b", "garbage")));
            scene.write(numbered(50, 50, 10));
            scene.database.update("UPDATE shop_message SET headers = 'no JSON' WHERE payload = 'garbage'");
            scene.broker.onSend = message -> {
                if (message.body().bytes() > 5_000_000) {
                    throw FakeBroker.failure(Blame.MESSAGE);
                }
            };

            assertThat(scene.run()).isNull();

            assertThat(scene.broker.texts())
                    .hasSize(101)
                    .doesNotHaveDuplicates()
                    .contains("follower");
            assertThat(scene.store
                            .finder()
                            .find(OutboxFilter.all().withStatus(OutboxStatus.PUBLISHED), OutboxPageRequest.of(100)))
                    .isNotEmpty();
            assertThat(TestMessages.texts(scene.store
                            .finder()
                            .find(OutboxFilter.all().withStatus(OutboxStatus.ABANDONED), OutboxPageRequest.of(100))))
                    .containsExactly(HUGE);
            assertThat(scene.store.status().backlog().abandoned()).isEqualTo(2);
            assertThat(scene.store.status().backlog().pending()).isZero();
        }
    }

    /** If the broker accepts the message, it is sent in a batch of its own. */
    @ParameterizedTest(allowZeroInvocations = true)
    @EachDatabase({Database.H2, Database.POSTGRESQL})
    void hugeRowIsABatchOfItsOwn(Database kind) {
        try (DispatchScene scene = new DispatchScene(
                kind == Database.H2 ? new TestDatabase() : new TestDatabase(kind), "outbox.partitions", "1")) {
            scene.write("a", "before");
            scene.write("a", HUGE);
            scene.write("a", "after");

            assertThat(scene.run()).isNull();

            assertThat(scene.broker.texts()).containsExactly("before", HUGE, "after");
            assertThat(scene.broker.opened).hasValue(3);
        }
    }
}
