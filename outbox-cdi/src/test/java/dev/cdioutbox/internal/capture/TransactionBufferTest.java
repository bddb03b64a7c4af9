package dev.cdioutbox.internal.capture;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;

import dev.cdioutbox.OutboxUnavailableException;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestMessages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards that the messages of a transaction are written before its commit, with late ones, and that a failed write
 * rolls it back.
 */
class TransactionBufferTest {
    private final FakeRegistry registry = new FakeRegistry();
    private final RecordingStore store = new RecordingStore();
    private final List<List<String>> committed = new ArrayList<>();
    private final TransactionBuffer buffer =
            new TransactionBuffer(registry, store, 10_000_000, messages -> committed.add(texts(messages)));

    @Test
    void manyMessagesAreOneWriteAtTheCommit() {
        for (int i = 0; i < 10_000; i++) {
            buffer.add(TestMessages.numbered(i, 1, 10));
        }
        assertThat(store.writes).isEmpty();
        assertThat(registry.interposed).hasSize(1);

        assertThat(registry.commit()).isNull();

        assertThat(store.writes).hasSize(1);
        assertThat(store.writes.get(0)).hasSize(10_000);
    }

    /** A million events once used up the memory of all threads, before the first row was written. */
    @Test
    void messagesThatNeedTooMuchMemoryAreRefused() {
        NewMessage message = message("a", "x".repeat(1000));
        TransactionBuffer small = new TransactionBuffer(registry, store, 10 * message.memory(), committing -> {});
        for (int i = 0; i < 5; i++) {
            small.add(List.of(message));
        }
        registry.beforeCompletionOfNext();
        for (int i = 0; i < 5; i++) {
            small.add(List.of(message));
        }

        assertThatThrownBy(() -> small.add(List.of(message)))
                .as("written messages are kept until the commit, too")
                .hasMessage(
                        "OBX-0123: event OrderPlaced: the 11 messages of its transaction would need about %d bytes of memory"
                                + " until the commit; a sixth of the heap, %d bytes, is the limit. Commit more often, or give"
                                + " the server a larger heap (-Xmx).",
                        11 * message.memory(), 10 * message.memory());
    }

    @Test
    void whatWasHandedOverIsWrittenByTheLaterSynchronization() {
        add("1");
        add("2");
        buffer.writeAfterFlush();
        add("3");

        registry.beforeCompletionOfNext();
        assertThat(store.writes).as("a flush may come after this one").isEmpty();

        registry.beforeCompletionOfNext();
        assertThat(store.texts()).containsExactly(List.of("1", "2", "3"));
        assertThat(registry.interposed).hasSize(2);
    }

    @Test
    void handingOverForEveryEventRegistersOnce() {
        add("1");
        buffer.writeAfterFlush();
        buffer.writeAfterFlush();
        assertThat(registry.interposed).hasSize(2);

        registry.commit();

        assertThat(store.texts()).containsExactly(List.of("1"));
    }

    @Test
    void messageThatTheFlushFiresBetweenTheSynchronizationsIsWrittenWithTheOthers() {
        add("1");
        buffer.writeAfterFlush();
        registry.beforeCompletionOfNext();
        add("of the flush");

        registry.commit();

        assertThat(store.texts()).containsExactly(List.of("1", "of the flush"));
    }

    @Test
    void messageThatIsLateIsWrittenByOneMore() {
        add("1");
        buffer.writeAfterFlush();
        registry.registerInterposedSynchronization(onCompletion(() -> {
            add("late");
            add("late too");
        }));

        registry.commit();

        assertThat(store.texts()).containsExactly(List.of("1"), List.of("late", "late too"));
        assertThat(committed).containsExactly(List.of("1", "late", "late too"));
    }

    @Test
    void firstMessageOfAllMayBeLate() {
        registry.registerInterposedSynchronization(onCompletion(() -> add("late")));

        registry.commit();

        assertThat(store.texts()).containsExactly(List.of("late"));
        assertThat(committed).containsExactly(List.of("late"));
    }

    @Test
    void failedWriteRollsBackAndNamesTheEvents() {
        store.failure = new IllegalStateException("the table is gone");
        add("1");
        buffer.writeAfterFlush();

        assertThat(registry.commit())
                .isInstanceOf(OutboxUnavailableException.class)
                .hasMessageStartingWith("OBX-0110: 1 event(s) ([OrderPlaced])")
                .hasMessageContaining("the table is gone");
        assertThat(committed).isEmpty();
    }

    /** The caller has to know that the same event would be refused again. */
    @Test
    void eventThatTheDatabaseRefusesRollsBackAsRefused() {
        store.failure = OutboxCode.EVENT_NOT_STORABLE.exception(1, Set.of("OrderPlaced"), "a letter");
        add("1");
        buffer.writeAfterFlush();

        assertThat(registry.commit()).isSameAs(store.failure);
        assertThat(registry.getTransactionStatus()).isNotEqualTo(Status.STATUS_ACTIVE);
    }

    @Test
    void failedWriteMarksTheTransactionForRollback() {
        store.failure = new StackOverflowError("deep");
        add("1");

        assertThatThrownBy(registry::beforeCompletionOfNext).hasMessageStartingWith("OBX-0110");

        assertThat(registry.getTransactionStatus()).isEqualTo(Status.STATUS_MARKED_ROLLBACK);
    }

    @ParameterizedTest
    @ValueSource(ints = {Status.STATUS_ROLLEDBACK, Status.STATUS_UNKNOWN})
    void transactionWithoutACommitNotifiesNoListener(int status) {
        add("1");
        registry.beforeCompletionOfNext();

        registry.end(status);

        assertThat(store.writes).hasSize(1);
        assertThat(committed).isEmpty();
    }

    private void add(String text) {
        buffer.add(List.of(message("a", text)));
    }

    private static List<String> texts(List<NewMessage> messages) {
        return messages.stream().map(message -> message.body().text()).toList();
    }

    private static Synchronization onCompletion(Runnable work) {
        return new Synchronization() {
            @Override
            public void beforeCompletion() {
                work.run();
            }

            @Override
            public void afterCompletion(int status) {}
        };
    }
}
