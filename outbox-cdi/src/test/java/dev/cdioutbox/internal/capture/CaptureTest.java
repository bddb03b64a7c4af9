package dev.cdioutbox.internal.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import jakarta.transaction.Status;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.capture.event.EventTypes;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.outbox.CaptureListener;
import dev.cdioutbox.internal.outbox.CaptureListeners;
import dev.cdioutbox.internal.outbox.LazyStore;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that an event becomes a message of its transaction, or is refused when it is fired. */
class CaptureTest {
    private static final String NAME = Placed.class.getName();

    private final FakeRegistry registry = new FakeRegistry();
    private final RecordingStore store = new RecordingStore();
    private Supplier<JdbcOutboxStore> opening = store::opened;
    private long seconds;
    private final CaptureListeners listeners = new CaptureListeners();
    private final LazyStore lazyStore =
            new LazyStore("default", () -> opening.get(), Runnable::run, () -> TimeUnit.SECONDS.toNanos(seconds));
    private final Capture capture = capture(TextSerializer.ofToString(), null);
    private final List<NewMessage> notified = new ArrayList<>();

    @OutboxEvent
    record Placed(String id) {}

    @Test
    void eventOfTheTransactionIsWrittenAtItsCommit() {
        capture(capture, new Placed("1"));
        assertThat(store.writes).isEmpty();

        capture.writeAfterFlush();
        registry.commit();

        assertThat(store.texts()).containsExactly(List.of("Placed[id=1]"));
    }

    @Test
    void handOverReachesTheBufferOfTheTransaction() {
        capture(capture, new Placed("1"));
        capture.writeAfterFlush();

        registry.beforeCompletionOfNext();
        assertThat(store.writes).isEmpty();
        registry.beforeCompletionOfNext();
        assertThat(store.writes).hasSize(1);
    }

    @Test
    void handOverWithoutAnEventOrATransactionIsHarmless() {
        capture.writeAfterFlush();
        registry.status = Status.STATUS_NO_TRANSACTION;
        capture.writeAfterFlush();

        assertThat(registry.interposed).isEmpty();
    }

    @Test
    void equalEventsAreTwoMessages() {
        Placed event = new Placed("1");
        capture(capture, event);
        capture(capture, event);
        capture(capture, new Placed("1"));

        registry.commit();

        assertThat(store.writes.get(0)).hasSize(3).extracting(NewMessage::id).doesNotHaveDuplicates();
    }

    @Test
    void eventsOfOthersAreLeftAlone() {
        registry.status = Status.STATUS_NO_TRANSACTION;

        capture(capture, "a string");

        assertThat(store.writes).isEmpty();
    }

    @Test
    void eventIsSerializedWhenItIsFired() {
        List<String> mutable = new ArrayList<>(List.of("before"));
        Capture capturing = capture(new TextSerializer(event -> mutable.get(0)), null);

        capture(capturing, new Placed("1"));
        mutable.set(0, "after");
        registry.commit();

        assertThat(store.texts()).containsExactly(List.of("before"));
    }

    @Test
    void transactionsDoNotShareTheirEvents() {
        capture(capture, new Placed("1"));
        registry.end(Status.STATUS_ROLLEDBACK);
        registry.begin();
        capture(capture, new Placed("2"));
        registry.commit();

        assertThat(store.texts()).containsExactly(List.of("Placed[id=2]"));
    }

    /** Later it would be in the log, where it stops the connector. */
    @Test
    void eventThatNothingCouldSendIsRefusedWhenItIsFired() {
        store.refusal = new IllegalStateException("too large");

        assertThatThrownBy(() -> capture(capture, new Placed("1"))).isSameAs(store.refusal);

        assertThat(registry.status).isEqualTo(Status.STATUS_MARKED_ROLLBACK);
    }

    @Test
    void eventOutsideOfATransactionIsRefused() {
        registry.status = Status.STATUS_NO_TRANSACTION;

        assertThatThrownBy(() -> capture(capture, new Placed("1")))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0101: event " + NAME);
    }

    /** Weld swallows an exception that leaves a {@code @PreDestroy} method. */
    @Test
    void refusalThatRollsNothingBackIsLogged() {
        EventRouter router = router(capture);
        try (LogLines log = new LogLines(RefusalLog.class.getName())) {
            registry.setRollbackOnly();
            assertThatThrownBy(() -> router.capture(new Placed("1"), Set.of())).hasMessageStartingWith("OBX-0103");
            assertThat(log.all()).as("the rollback shows it").isEmpty();

            registry.status = Status.STATUS_NO_TRANSACTION;
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> router.capture(new Placed("1"), Set.of()))
                        .hasMessageStartingWith("OBX-0101");
            }
            assertThat(log.all()).singleElement(STRING).startsWith("OBX-0101: event " + NAME);
        }
    }

    @Test
    void refusalAfterTheCompletionIsLogged() {
        registry.status = Status.STATUS_COMMITTED;
        try (LogLines log = new LogLines(RefusalLog.class.getName())) {
            assertThatThrownBy(() -> capture(capture, new Placed("1"))).hasMessageStartingWith("OBX-0104");
            assertThat(log.all()).singleElement(STRING).startsWith("OBX-0104: event " + NAME);
        }
    }

    @Test
    void eventOutsideOfATransactionGetsItsOwnIfThatIsConfigured() {
        registry.status = Status.STATUS_NO_TRANSACTION;
        Capture capturing = capture(TextSerializer.ofToString(), work -> {
            registry.begin();
            work.run();
            registry.commit();
        });

        capture(capturing, new Placed("1"));

        assertThat(store.texts()).containsExactly(List.of("Placed[id=1]"));
    }

    @Test
    void eventOfATransactionThatIsMarkedForRollbackIsRefused() {
        registry.setRollbackOnly();

        assertThatThrownBy(() -> capture(capture, new Placed("1"))).hasMessageStartingWith("OBX-0103: event " + NAME);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                Status.STATUS_PREPARING,
                Status.STATUS_PREPARED,
                Status.STATUS_COMMITTING,
                Status.STATUS_COMMITTED,
                Status.STATUS_ROLLING_BACK,
                Status.STATUS_ROLLEDBACK,
                Status.STATUS_UNKNOWN
            })
    void eventOfATransactionThatIsCompletingIsRefused(int status) {
        registry.status = status;

        assertThatThrownBy(() -> capture(capture, new Placed("1")))
                .hasMessageStartingWith("OBX-0104: event " + NAME)
                .hasMessageContaining("(status " + status + ")");
    }

    /** The application may create the tables after its deployment. */
    @Test
    void eventIsRefusedUntilTheTablesAreThere() {
        opening = () -> {
            throw new IllegalStateException("no tables");
        };

        assertThatThrownBy(() -> capture(capture, new Placed("1")))
                .hasMessage(
                        "OBX-0122: event " + NAME + " cannot be stored, so its transaction is rolled back: no tables.");
        assertThat(registry.getRollbackOnly()).isTrue();
        registry.commit();

        opening = store::opened;
        seconds++;
        registry.begin();
        capture(capture, new Placed("2"));
        registry.commit();
        assertThat(store.texts()).containsExactly(List.of("Placed[id=2]"));
    }

    /** Each look needs a connection, while the transaction of the event may have another one of the same pool. */
    @Test
    void eventsLookForTheTablesOnceASecond() {
        AtomicInteger looks = new AtomicInteger();
        opening = () -> {
            throw new IllegalStateException("no tables at look " + looks.incrementAndGet());
        };

        assertThat(lazyStore.whyClosed()).isEqualTo("no tables at look 1");
        assertThat(lazyStore.whyClosed()).isEqualTo("no tables at look 1");
        seconds++;
        assertThat(lazyStore.whyClosed()).isEqualTo("no tables at look 2");
    }

    /** If it waited, its transaction would keep a connection that the opening may need. */
    @Test
    void eventIsRefusedAtOnceWhileAnotherThreadOpensTheTables() {
        List<String> refusals = new ArrayList<>();
        opening = () -> {
            seconds++;
            refusals.add(CompletableFuture.supplyAsync(lazyStore::whyClosed)
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join());
            return store.opened();
        };

        assertThat(lazyStore.problem()).isNull();
        assertThat(refusals).containsExactly("another thread is opening the tables at this moment");
        assertThat(lazyStore.whyClosed()).isNull();
    }

    @Test
    void eventThatIsRefusedRollsItsTransactionBack() {
        Capture capturing = capture(new TextSerializer(event -> null), null);

        assertThatThrownBy(() -> capture(capturing, new Placed("1"))).hasMessageStartingWith("OBX-0108");

        assertThat(registry.getRollbackOnly()).isTrue();
    }

    @Test
    void errorInTheSerializerNamesTheEventAndRollsTheTransactionBack() {
        Capture capturing = capture(
                new TextSerializer(event -> {
                    throw new AssertionError("no");
                }),
                null);

        assertThatThrownBy(() -> capture(capturing, new Placed("1")))
                .hasMessageStartingWith("OBX-0108")
                .hasMessageContaining(Placed.class.getName())
                .hasCauseInstanceOf(AssertionError.class);

        assertThat(registry.getRollbackOnly()).isTrue();
    }

    @Test
    void lackOfMemoryIsReportedAsItIsAndRollsTheTransactionBack() {
        Capture capturing = capture(
                new TextSerializer(event -> {
                    throw new OutOfMemoryError("no");
                }),
                null);

        assertThatThrownBy(() -> capture(capturing, new Placed("1"))).isInstanceOf(OutOfMemoryError.class);

        assertThat(registry.getRollbackOnly()).isTrue();
    }

    @Test
    void listenersAreNotifiedAfterTheCommitAndCannotBreakIt() {
        listeners.add(new CaptureListener() {
            @Override
            public void captured(List<NewMessage> messages) {
                throw new IllegalStateException("a bug in a listener");
            }
        });
        listeners.add(new CaptureListener() {
            @Override
            public void captured(List<NewMessage> messages) {
                assertThat(store.writes).hasSize(1);
                notified.addAll(messages);
            }
        });
        capture(capture, new Placed("1"));

        assertThatCode(registry::commit).doesNotThrowAnyException();
        assertThat(notified).hasSize(1);
    }

    /** The buffer of a transaction may hold payloads only, and none of the fired objects. */
    @Test
    void firedObjectsAreNotKeptUntilTheCommit() {
        List<WeakReference<Object>> fired = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            Object event = new Placed(String.valueOf(i));
            capture(capture, event);
            fired.add(new WeakReference<>(event));
        }

        for (int tries = 0; tries < 50 && fired.stream().anyMatch(event -> event.get() != null); tries++) {
            System.gc();
        }
        // A register of this method may still hold the last one.
        assertThat(fired.subList(0, 999)).allMatch(event -> event.get() == null);
        registry.commit();
        assertThat(store.texts().get(0)).hasSize(1000);
    }

    private void capture(Capture capture, Object event) {
        router(capture).capture(event, Set.of());
    }

    private EventRouter router(Capture capture) {
        return new EventRouter(Map.of(OutboxConfig.DEFAULT_OUTBOX, capture), new EventTypes(), registry);
    }

    private Capture capture(TextSerializer serializer, Consumer<Runnable> own) {
        return new Capture(
                TestFactory.of(TestConfig.of(), serializer), registry, lazyStore, listeners, Optional.ofNullable(own));
    }
}
