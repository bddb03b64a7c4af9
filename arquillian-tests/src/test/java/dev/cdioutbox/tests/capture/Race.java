package dev.cdioutbox.tests.capture;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Two threads that commit events of one key as fast as they can. */
final class Race {
    private static final int THREADS = 2;

    private final Desk desk;
    private final String key = UUID.randomUUID().toString();
    private final AtomicInteger counter = new AtomicInteger();
    private final Map<Integer, String> commits = new ConcurrentSkipListMap<>();

    Race(Desk desk) {
        this.desk = desk;
    }

    /** Each transaction fires its event and then changes the key's business row, which the flush locks. */
    Race overABusinessRow(int rounds) {
        desk.ejb().requiresNew(() -> desk.entities().persist(new Booking(key, null)));
        return run(rounds, token -> {
            commitLate(token);
            desk.fire(new Noted(key, token));
            desk.entities().find(Booking.class, key).change(token.hashCode());
        });
    }

    /** Each transaction only fires an event. */
    Race overNothing(int rounds) {
        return run(rounds, token -> {
            commitLate(token);
            desk.fire(new Noted(key, token));
        });
    }

    /** The tokens in the order of the commits: each transaction took its number last, while it held its locks. */
    List<String> committed() {
        return List.copyOf(commits.values());
    }

    /** The tokens in the order of the rows. */
    List<String> stored() {
        return desk.stored().tokens(key);
    }

    /**
     * Numbers the commit in a synchronization that runs after the outbox has written. The random pause gives the other
     * thread the time to overtake, if no lock prevents it.
     */
    private void commitLate(String token) {
        desk.at(When.IN_A_LATE_SYNCHRONIZATION, () -> {
            if (ThreadLocalRandom.current().nextInt(8) == 0) {
                LockSupport.parkNanos(100_000);
            }
            commits.put(counter.incrementAndGet(), token);
        });
    }

    private Race run(int rounds, Round round) {
        CyclicBarrier start = new CyclicBarrier(THREADS);
        Together.run(THREADS, thread -> {
            start.await();
            for (int i = 0; i < rounds; i++) {
                String token = thread + "-" + i;
                desk.ejb().requiresNew(() -> round.run(token));
            }
        });
        return this;
    }

    private interface Round {
        void run(String token);
    }
}
