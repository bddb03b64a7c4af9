package dev.cdioutbox.jms.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;

import dev.cdioutbox.internal.store.Inbox;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sweep of the inbox deletes in pieces, one call at a time, and reports a failure once. */
public class InboxSweepTest {
    private static final Logger LOG = Logger.getLogger(InboxSweep.class.getName());
    private static final int FAILS = -1;

    /** The number of rows that each call deletes; with {@link #FAILS} the call throws. */
    private final Deque<Integer> found = new ArrayDeque<>();

    private final List<Duration> calls = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final Handler listener = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (line.getLevel() == Level.WARNING) {
                warnings.add(line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private Duration retention = Duration.ofDays(7);
    private final InboxSweep sweep = new InboxSweep(new Found(), () -> retention);

    @BeforeEach
    void listen() {
        LOG.addHandler(listener);
    }

    @AfterEach
    void stopListening() {
        LOG.removeHandler(listener);
    }

    @Test
    void piecesFollowEachOtherUntilOneIsNotFull() {
        found.addAll(List.of(InboxSweep.PIECE, InboxSweep.PIECE, InboxSweep.PIECE - 1, InboxSweep.PIECE));

        sweep.run(() -> true);

        assertThat(calls).hasSize(3);
    }

    @Test
    void callIsNoLongerThanAHundredPiecesAndAsksForAnother() {
        IntStream.range(0, 150).forEach(piece -> found.add(InboxSweep.PIECE));
        found.add(0);

        assertThat(sweep.run(() -> true)).isTrue();
        assertThat(calls).hasSize(100);

        assertThat(sweep.run(() -> true)).isFalse();
        assertThat(calls).hasSize(151);
    }

    /** The timer's call may come between two others. */
    @Test
    void oneCallIsInProgressAtATime() {
        found.addAll(List.of(InboxSweep.PIECE, 0));
        List<Boolean> inside = new ArrayList<>();

        sweep.run(() -> {
            inside.add(sweep.run(() -> true));
            return true;
        });

        assertThat(calls).hasSize(2);
        assertThat(inside).isNotEmpty().containsOnly(false);
    }

    @Test
    void itEndsWithTheApplication() {
        found.addAll(List.of(InboxSweep.PIECE, InboxSweep.PIECE, InboxSweep.PIECE));

        assertThat(sweep.run(() -> calls.size() < 2)).isFalse();

        assertThat(calls).hasSize(2);
    }

    @Test
    void retentionIsThatOfTheMoment() {
        found.addAll(List.of(0, 0));

        sweep.run(() -> true);
        retention = Duration.ofDays(1);
        sweep.run(() -> true);

        assertThat(calls).containsExactly(Duration.ofDays(7), Duration.ofDays(1));
    }

    @Test
    void failureIsReportedOnceUntilItWorksAgain() {
        found.addAll(List.of(FAILS, FAILS, 0, FAILS));

        for (int call = 0; call < 4; call++) {
            sweep.run(() -> true);
        }

        assertThat(calls).hasSize(4);
        assertThat(warnings).hasSize(2).allMatch(text -> text.startsWith("OBX-0513: ") && text.contains("no database"));
    }

    private final class Found implements Inbox {
        @Override
        public boolean enter(String consumer, String messageId) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean advance(String consumer, String key, long sequence) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int sweep(Duration olderThan, int limit) {
            assertThat(limit).isEqualTo(InboxSweep.PIECE);
            calls.add(olderThan);
            int some = found.remove();
            if (some == FAILS) {
                throw new IllegalStateException("no database");
            }
            return some;
        }
    }
}
