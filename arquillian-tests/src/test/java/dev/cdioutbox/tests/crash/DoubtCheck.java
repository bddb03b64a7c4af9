package dev.cdioutbox.tests.crash;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds messages in doubt from outside of the engine, while their node is dead. */
final class DoubtCheck {
    private DoubtCheck() {}

    /** The payloads of messages that are pending, and locked at each of several reads. */
    static Set<String> inDoubt(Services services, String run) {
        Set<String> inDoubt = locked(services, run);
        for (int i = 0; i < 5 && !inDoubt.isEmpty(); i++) {
            NodeProcess.pause(100);
            inDoubt.retainAll(locked(services, run));
        }
        return inDoubt;
    }

    /** The prepared branches in the database that stay prepared for a second. */
    static Set<String> preparedInDatabase(Services services, String run) {
        String prepared = "SELECT gid FROM pg_prepared_xacts WHERE database = '" + run + "'";
        Set<String> branches = new HashSet<>(services.query(run, prepared));
        NodeProcess.pause(1000);
        branches.retainAll(services.query(run, prepared));
        return branches;
    }

    /** Reads the free messages first; otherwise a message that is inserted between the reads would look locked. */
    private static Set<String> locked(Services services, String run) {
        List<String> free = services.query(run, Points.WAITING_AND_FREE);
        Set<String> locked = new HashSet<>(services.query(run, Points.WAITING_PAYLOADS));
        locked.retainAll(services.query(run, Points.WAITING_PAYLOADS));
        free.forEach(locked::remove);
        return locked;
    }

    /**
     * Waits until each pending message has arrived, except for the messages of keys in doubt.
     *
     * @return the messages that have not arrived in time
     */
    static Set<String> stuck(Services services, CrashRun run, Duration atMost) {
        Set<String> inDoubt = inDoubt(services, run.name());
        Set<String> keys = inDoubt.stream()
                .map(payload -> BusinessEvent.parse(payload).key())
                .collect(Collectors.toSet());
        Set<String> others = services.query(run.name(), Points.WAITING_PAYLOADS).stream()
                .filter(payload -> BusinessEvent.parse(payload).kind() == BusinessEvent.Kind.ORDERED
                        && !keys.contains(BusinessEvent.parse(payload).key()))
                .collect(Collectors.toSet());
        // Includes the messages of the next second: a partition that has stopped shows in its new messages first.
        NodeProcess.pause(1000);
        services.query(run.name(), Points.WAITING_PAYLOADS).stream()
                .filter(payload -> BusinessEvent.parse(payload).kind() == BusinessEvent.Kind.ORDERED
                        && !keys.contains(BusinessEvent.parse(payload).key()))
                .forEach(others::add);
        long end = System.nanoTime() + atMost.toNanos();
        while (!others.isEmpty() && System.nanoTime() < end) {
            NodeProcess.pause(100);
            others.removeIf(run.book()::hasArrived);
        }
        return others;
    }

    static void othersGoOn(Services services, CrashRun run, Duration atMost) {
        Set<String> stuck = stuck(services, run, atMost);
        if (!stuck.isEmpty()) {
            throw new AssertionError(
                    "These messages wait for a dead node, though none of their keys is in doubt: " + stuck);
        }
    }
}
