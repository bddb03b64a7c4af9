package dev.cdioutbox.internal.dispatch.delivery;

import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.dispatch.FakeTransactions.Unreachable;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Guards the outcome of a commit that fails because the broker crashes between prepare and commit: this is no rollback.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class CommitInDoubtTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene("outbox.partitions", "1");

    private final List<String> unclear = new ArrayList<>();

    @BeforeEach
    void write() {
        scene.run();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void commitIncomplete(DestinationId destination, int settled, int inDoubt) {
                unclear.add(settled + " settled, " + inDoubt + " in doubt");
            }
        });
        scene.write(List.of(message("a", "a1"), message("b", "b1")));
    }

    @Test
    void whatTheDatabaseHoldsBackIsInDoubtAndItsKeysWait() throws SQLException {
        scene.transactions.unreachable = Unreachable.DATABASE_WAITS;
        scene.run();
        assertThat(unclear).containsExactly("0 settled, 2 in doubt");

        scene.broker.away = null;
        scene.write(List.of(message("a", "a2"), message("c", "c1")));
        scene.run();
        assertThat(scene.broker.texts()).containsExactly("c1");

        scene.transactions.end();
        scene.run();
        assertThat(scene.broker.texts()).containsExactly("c1", "a1", "b1", "a2");
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PUBLISHED1");
    }

    @Test
    void whatTheDatabaseCommittedAloneIsNeitherSentAgainNorCharged() throws SQLException {
        scene.transactions.unreachable = Unreachable.DATABASE_GOES_ON;
        scene.run();
        assertThat(unclear).containsExactly("2 settled, 0 in doubt");

        scene.broker.away = null;
        scene.run();
        scene.transactions.end();
        assertThat(scene.broker.texts()).containsExactly("a1", "b1");
        assertThat(scene.database.statusesAndAttempts()).containsExactly("PUBLISHED1");
    }

    /**
     * So OBX-0422 asks for a commit-priority: with it, the database waits, as in {@link
     * #whatTheDatabaseHoldsBackIsInDoubtAndItsKeysWait}.
     */
    @Test
    void whereTheDatabaseGoesOnAloneFollowersOvertake() throws SQLException {
        scene.transactions.unreachable = Unreachable.DATABASE_GOES_ON;
        scene.run();

        scene.broker.away = null;
        scene.write("a", "a2");
        scene.run();
        scene.transactions.end();

        assertThat(scene.broker.texts()).containsExactly("a2", "a1", "b1");
    }

    @Test
    void rollbackIsNotUnclear() {
        scene.transactions.failingCommits.set(1000);

        assertThat(scene.run()).isNotNull();

        assertThat(unclear).isEmpty();
    }

    /** A discarded message no longer waits, as a settled one. The next claim sends the others. */
    @Test
    void discardWhileTheCommitFailsCostsNoOtherMessage() {
        scene.transactions.failingCommits.set(1);
        Runnable discard = () ->
                change(scene.store, MessageOperation.DISCARD, OutboxFilter.all().withKey("a"));
        // On another thread, and so outside of the transaction that fails.
        scene.transactions.afterFailure =
                () -> CompletableFuture.runAsync(discard).join();

        assertThat(scene.run()).isNull();

        assertThat(scene.broker.texts()).containsExactly("b1");
        assertThat(scene.column("status", "a1")).isEqualTo("DISCARDED");
    }

    /** An untried message that no longer waits says nothing about the commit. */
    @Test
    void discardOfAnUntriedMessageWhileTheCommitFailsIsNotUnclear() {
        scene.broker.onSend = message -> {
            if (message.body().text().equals("b1")) {
                throw FakeBroker.failure(Blame.DESTINATION_FULL);
            }
        };
        scene.transactions.failingCommits.set(1);
        Runnable discard = () ->
                change(scene.store, MessageOperation.DISCARD, OutboxFilter.all().withKey("b"));
        scene.transactions.afterFailure =
                () -> CompletableFuture.runAsync(discard).join();

        scene.run();

        assertThat(unclear).isEmpty();
        assertThat(scene.broker.texts()).containsExactly("a1");
    }

    /** What the transaction left unchanged, since an operator was first, says nothing about the commit. */
    @Test
    void discardOfAFailedMessageBeforeTheCommitFailsIsNotUnclear() {
        Runnable discard = () ->
                change(scene.store, MessageOperation.DISCARD, OutboxFilter.all().withKey("b"));
        scene.broker.onSend = message -> {
            if (message.body().text().equals("b1")) {
                CompletableFuture.runAsync(discard).join();
                throw FakeBroker.failure(Blame.MESSAGE);
            }
        };
        scene.transactions.failingCommits.set(1);

        scene.run();

        assertThat(unclear).isEmpty();
        assertThat(scene.broker.texts()).containsExactly("a1");
    }

    @Test
    void withoutTheDatabaseNoRollbackIsReported() {
        scene.transactions.unreachable = Unreachable.DATABASE_GOES_ON;
        scene.transactions.afterFailure = scene.transactions::takeDatabaseAway;

        try (LogLines logged = new LogLines("dev.cdioutbox.internal.dispatch.FailureLog")) {
            assertThat(scene.run()).isNotNull();

            assertThat(logged.all())
                    .singleElement(STRING)
                    .startsWith("OBX-0401: destination 'default': ")
                    .contains("OBX-0423: the commit of 2");
        }
        assertThat(unclear).isEmpty();
    }
}
