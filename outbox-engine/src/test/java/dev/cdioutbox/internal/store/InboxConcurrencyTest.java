package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import dev.cdioutbox.internal.store.inbox.JdbcInbox;
import org.junit.jupiter.api.Test;

/** Guards that the inbox accepts one of several copies that arrive concurrently, and that no copy fails. */
class InboxConcurrencyTest extends InboxContract {
    InboxConcurrencyTest(Database kind) {
        super(kind);
    }

    @Test
    void copyWaitsForTheOneThatIsHandledAndIsNoneIfThatCommits() throws Exception {
        try (TransactionSource first = node()) {
            Future<Boolean> copy = whileHandling(first, inbox -> inbox.enter("shipping", "m1"));
            first.commit();

            assertThat(copy.get()).isFalse();
        }
    }

    @Test
    void copyWaitsForTheOneThatIsHandledAndIsNewIfThatRollsBack() throws Exception {
        try (TransactionSource first = node()) {
            Future<Boolean> copy = whileHandling(first, inbox -> inbox.enter("shipping", "m1"));
            first.connection().rollback();

            assertThat(copy.get()).isTrue();
        }
    }

    /** A node crashed between prepare and commit. The message of this transaction may be delivered again or not. */
    @Test
    void copyWaitsForTheOneThatIsInDoubt() throws Exception {
        AtomicReference<Future<Boolean>> copy = new AtomicReference<>();
        database.kind()
                .whileInDoubt(
                        database.dataSource(),
                        crashed -> assertThat(
                                        inbox(new TransactionSource(crashed)).enter("shipping", "m1"))
                                .isTrue(),
                        () -> {
                            copy.set(nodes.submit(() -> handled(inbox -> inbox.enter("shipping", "m1"))));
                            awaitBlocked(copy.get());
                        });

        assertThat(copy.get().get()).as("the one in doubt was rolled back").isTrue();
    }

    /** A failed copy would use up one of the few redeliveries of its message. */
    @Test
    void ofManyCopiesThatWaitForOneThatRollsBackOneIsNewAndNoneFails() throws Exception {
        for (String id : List.of("m1", "m2", "m3", "m4", "m5")) {
            assertThat(afterRollback(inbox -> inbox.enter("shipping", id)))
                    .as(id)
                    .isEqualTo(1);
        }
    }

    @Test
    void ofManyCopiesThatWaitForAKeyThatIsRolledBackNoneFails() throws Exception {
        for (String key : List.of("k1", "k2", "k3", "k4", "k5")) {
            assertThat(afterRollback(inbox -> advance(inbox, "shipping", key, 7)))
                    .as(key)
                    .isEqualTo(6);
        }
    }

    /**
     * Runs six copies beside a transaction that rolls back, and returns how many were new. At least one copy waits
     * before the rollback.
     */
    private int afterRollback(Predicate<JdbcInbox> step) throws Exception {
        List<Future<Boolean>> copies = new ArrayList<>();
        List<TransactionSource> others = new ArrayList<>();
        try (TransactionSource first = node()) {
            copies.add(whileHandling(first, step));
            for (int copy = 0; copy < 5; copy++) {
                TransactionSource other = node();
                others.add(other);
                copies.add(nodes.submit(() -> handled(other, step)));
            }
            while (others.stream().anyMatch(other -> other.prepared() == 0)) {
                Thread.onSpinWait();
            }
            awaitBlocked(copies.get(0));
            first.connection().rollback();
        }
        int handled = 0;
        for (Future<Boolean> copy : copies) {
            handled += copy.get() ? 1 : 0;
        }
        return handled;
    }

    @Test
    void ofManyThatAreStaleAtOnceNoneFails() throws Exception {
        advance(direct, "shipping", "order-1", 1000);
        List<Callable<Boolean>> stale = new ArrayList<>();
        for (int sequence = 0; sequence < 200; sequence++) {
            int old = sequence;
            stale.add(() -> handled(inbox -> advance(inbox, "shipping", "order-1", old)));
        }
        for (Future<Boolean> one : nodes.invokeAll(stale.subList(0, 16))) {
            assertThat(one.get()).isFalse();
        }
    }

    /**
     * A consumer handles several messages in one transaction, and receives one again for which another consumer waits.
     */
    @Test
    void whoHandlesAMessageDoesNotWaitForThoseWhoWaitForIt() throws Exception {
        try (TransactionSource first = node()) {
            Future<Boolean> copy = whileHandling(
                    first, inbox -> inbox.enter("shipping", "m1") && advance(inbox, "shipping", "order-1", 7));

            assertThat(inbox(first).enter("shipping", "m1")).isFalse();
            assertThat(advance(inbox(first), "shipping", "order-1", 6)).isFalse();
            assertThat(advance(inbox(first), "shipping", "order-1", 8)).isTrue();
            first.commit();
            assertThat(copy.get()).isFalse();
        }
    }

    /** A lock timeout would use up a redelivery of a message that has no error. */
    @Test
    void copyWaitsLongerThanTheDatabaseDoes() throws Exception {
        String impatience = database.kind().impatience().orElse(null);
        if (impatience == null) {
            return;
        }
        try (TransactionSource first = node();
                TransactionSource second = node()) {
            JdbcInbox inbox = inbox(first);
            first.begin();
            assertThat(inbox.enter("shipping", "m1")).isTrue();
            Database.execute(second.connection(), impatience);
            second.begin();
            Future<Boolean> copy = nodes.submit(() -> inbox(second).enter("shipping", "m1"));
            while (second.prepared() < 3) {
                assertThat(copy.isDone()).as("the copy has given up").isFalse();
                Thread.onSpinWait();
            }
            first.commit();

            assertThat(copy.get()).isFalse();
            assertThat(inbox(second).enter("shipping", "m2")).isTrue();
            second.commit();
        }
        assertThat(database.query("SELECT COUNT(*) FROM shop_inbox")).containsExactly("2");
    }

    /** Neither the open transaction nor the copy that waits for it may block other messages. */
    @Test
    void otherMessagesDoNotWait() throws Exception {
        try (TransactionSource first = node()) {
            Future<Boolean> copy = whileHandling(
                    first, inbox -> inbox.enter("shipping", "m2") && advance(inbox, "shipping", "order-2", 7));

            for (String other : List.of("m1", "m3", "m", "m20")) {
                assertThat(handled(others -> others.enter("shipping", other))).isTrue();
                assertThat(handled(others -> advance(others, "shipping", "order-" + other, 1)))
                        .isTrue();
            }
            assertThat(handled(others -> others.enter("billing", "m2"))).isTrue();
            assertThat(copy.isDone()).isFalse();
            first.connection().rollback();
            assertThat(copy.get()).isTrue();
        }
    }

    @Test
    void ofManyCopiesAtOnceOneIsNew() throws Exception {
        List<Callable<Boolean>> copies = new ArrayList<>();
        for (int copy = 0; copy < 400; copy++) {
            String id = "m" + copy / 8;
            copies.add(() -> handled(inbox -> inbox.enter("shipping", id)));
        }
        ExecutorService eight = Executors.newFixedThreadPool(8);
        int handled = 0;
        try {
            for (Future<Boolean> copy : eight.invokeAll(copies)) {
                handled += copy.get() ? 1 : 0;
            }
        } finally {
            eight.shutdownNow();
        }
        assertThat(handled).isEqualTo(50);
        assertThat(database.query("SELECT COUNT(*) FROM shop_inbox")).containsExactly("50");
    }

    @Test
    void earlierMessageOfAKeyWaitsForTheLaterOneThatIsHandled() throws Exception {
        for (String key : List.of("first of its key", "not the first")) {
            if (key.startsWith("not")) {
                advance(direct, "shipping", key, 1);
            }
            try (TransactionSource later = node()) {
                inbox(later);
                later.begin();
                advance(inbox(later), "shipping", key, 9);
                Future<Boolean> earlier = nodes.submit(() -> handled(inbox -> advance(inbox, "shipping", key, 8)));
                awaitBlocked(earlier);
                later.commit();

                assertThat(earlier.get()).as(key).isFalse();
            }
        }
    }

    @Test
    void purgesOnSeveralNodesDoNotFail() throws Exception {
        List<Callable<Integer>> purges = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            direct.enter("shipping", "m" + i);
            advance(direct, "shipping", "order-" + i, i);
            purges.add(() -> direct.purge(Duration.ofDays(-1), 10));
        }
        for (Future<Integer> purge : nodes.invokeAll(purges.subList(0, 16))) {
            assertThat(purge.get()).isBetween(0, 10);
        }
        while (direct.purge(Duration.ofDays(-1), 10) > 0) {
            // Each call deletes one piece.
        }
        assertThat(database.query("SELECT COUNT(*) FROM shop_inbox")).containsExactly("0");
        assertThat(database.query("SELECT last_sequence FROM shop_inbox_key"))
                .as("the highest that was purged")
                .containsExactly("99");
    }
}
