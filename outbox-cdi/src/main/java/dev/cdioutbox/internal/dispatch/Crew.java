package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The container's threads, as a lane asks for them. Thread-safe. */
final class Crew {
    private static final Logger LOG = Logger.getLogger(Crew.class.getName());

    private volatile Consumer<String> help = label -> {};
    private volatile Consumer<String> relief = label -> {};
    private volatile long longest = Long.MAX_VALUE;

    void helpWith(Consumer<String> call) {
        help = call;
    }

    /**
     * @param after how long one thread works before another one goes on in its place
     */
    void relieveWith(Consumer<String> call, Duration after) {
        relief = call;
        longest = after.toNanos();
    }

    /** Another thread beside this one, if the lane has work for it. */
    void help(Lane lane) {
        if (lane.wantsHelp()) {
            ask(help, lane);
        }
    }

    /** What a lane's timer cannot do while its own thread hangs in the lane. */
    void watch(Lane lane, long interval) {
        long now = System.nanoTime();
        Consumer<Throwable> told = why -> RunReport.of(lane, why, true);
        lane.giveUpOnTheStuck(now, interval, told);
        if (lane.isForsaken(now, interval, told)) {
            ask(relief, lane);
        }
    }

    /** A thread begins. */
    Shift begin() {
        return new Shift();
    }

    /** Without it the lane's own thread or its timer goes on. */
    private static void ask(Consumer<String> whom, Lane lane) {
        try {
            whom.accept(lane.label());
        } catch (RuntimeException e) {
            LOG.log(Level.FINE, "nobody comes; the lane goes on by itself", e);
        }
    }

    /**
     * One thread's time. A server that stops waits for each task that is under way, before it tells the application; so a task
     * must not last as long as a backlog does.
     */
    final class Shift {
        private final long began = System.nanoTime();

        boolean isOver() {
            return System.nanoTime() - began >= longest;
        }

        /** True if it is not this thread that has to go on. */
        boolean isHandedOver(Lane lane) {
            boolean over = isOver();
            if (over) {
                ask(relief, lane);
            }
            return over;
        }
    }
}
