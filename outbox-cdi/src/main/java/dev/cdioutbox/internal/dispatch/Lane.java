package dev.cdioutbox.internal.dispatch;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The way to one destination on this node. One thread at a time is in it, or as many as are configured, each with
 * partitions of its own; lanes know nothing of each other, so that a send that never returns holds up its own destination
 * only. The threads that are in at a time are one run: it fails if one of them does, and the others then end after their
 * batch. One that hangs is not waited for.
 */
public final class Lane {
    private final String destination;
    private final String label;
    private final Proof proof = new Proof();
    final Refusals refusals = new Refusals();
    final Scouting scouting = new Scouting();
    private final AtomicBoolean helpAsked = new AtomicBoolean();
    private final AtomicBoolean rung = new AtomicBoolean();
    private Run run = new Run();
    private int room = 1;
    private int stuck;
    private volatile int lastQueue;
    private volatile String shadow;
    private volatile Object declaredFor;
    private volatile int failures;
    private volatile long failingSince;
    private volatile long lastReport;
    private volatile long called = System.nanoTime();
    private volatile long lastEnd = Long.MIN_VALUE;
    private volatile long lastPromotion = Long.MIN_VALUE;
    private volatile Exception promotionFailure;

    public Lane(String destination) {
        this(destination, destination);
    }

    /**
     * @param label what the destination is called where those of several outboxes meet
     */
    public Lane(String destination, String label) {
        this.destination = destination;
        this.label = label;
    }

    public String label() {
        return label;
    }

    public String destination() {
        return destination;
    }

    /**
     * Enters, if fewer are in than may be, and none of them has failed.
     *
     * @return null if not
     */
    synchronized Run enter(int most) {
        helpAsked.set(false);
        room = most;
        if (run.inside == 0) {
            run = new Run();
        }
        if (run.failure() != null || run.inside + stuck >= most) {
            return null;
        }
        run.inside++;
        return run;
    }

    /** Enters a run that is under way. One that is over meanwhile, perhaps since it failed, is not begun anew. */
    synchronized Run join(int most) {
        helpAsked.set(false);
        return run.inside > 0 ? enter(most) : null;
    }

    /**
     * Leaves. With the last one the run is over; what came of it is told before anybody else can enter, and so cannot be taken
     * for that of the next run.
     *
     * @param why what failed, or null
     * @param told gets what failed first in the run, or null
     */
    synchronized void leave(Run of, Throwable why, long nanos, Consumer<Throwable> told) {
        of.failed(why, nanos);
        try {
            // Of one that was given up meanwhile only a failure matters, unless that was told then.
            if (of == run ? of.inside == 1 : of.hasNews()) {
                of.tell(told);
            }
        } finally {
            // Also if telling it fails.
            of.inside--;
            stuck -= of == run ? 0 : 1;
        }
    }

    /**
     * A run that failed waits for those that are still in it. If they do not come for so long, one of them hangs, and it is over
     * without them: the next one begins with as many threads fewer.
     */
    synchronized void giveUpOnTheStuck(long nanos, long patience, Consumer<Throwable> told) {
        if (run.inside > 0 && run.failure() != null && nanos - run.failedAt >= patience) {
            giveUp().tell(told);
        }
    }

    private Run giveUp() {
        Run over = run;
        stuck += over.inside;
        run = new Run();
        return over;
    }

    /** Its timer calls. */
    void called(long nanos) {
        called = nanos;
    }

    /**
     * Whether somebody has to come in the place of its timer, which has not called for two intervals since its thread is in the
     * lane and hangs. The run is then over for those who are in it: it could not end, and a lane that had failed would never
     * be seen to work again.
     *
     * @param told gets what failed in that run, if nobody was told of it
     */
    synchronized boolean isForsaken(long nanos, long interval, Consumer<Throwable> told) {
        if (nanos - called < 2 * interval || run.inside + stuck >= room) {
            return false;
        }
        called = nanos - interval;
        Run over = giveUp();
        if (over.hasNews()) {
            over.tell(told);
        }
        return true;
    }

    /** Nobody else sends to this destination, one that hangs included. */
    synchronized boolean isAlone() {
        return run.inside + stuck == 1;
    }

    /** A batch of this run has got through: there is no outage. */
    synchronized void delivered() {
        run.delivered = true;
    }

    /** Whether another thread could do something: there is more than one batch, batches get through, and there is room. */
    boolean wantsHelp() {
        synchronized (this) {
            if (!run.delivered || run.failure() != null || run.inside + stuck >= room) {
                return false;
            }
        }
        return helpAsked.compareAndSet(false, true);
    }

    /**
     * Asks for a run. A lane that fails rests until its timer calls.
     *
     * @return true if the caller has to start one; false if one is asked for already or will look again by itself
     */
    public boolean ring() {
        return failures == 0 && rung.compareAndSet(false, true) && hasRoom();
    }

    private synchronized boolean hasRoom() {
        return run.inside + stuck < room;
    }

    /** Whoever comes next goes on: a ring, also where a failure before would not let it be heard. */
    void leavesMore() {
        rung.set(true);
    }

    boolean isRung() {
        return rung.get();
    }

    void heard() {
        rung.set(false);
    }

    int lastQueue() {
        return lastQueue;
    }

    void served(int queue) {
        lastQueue = queue;
    }

    /** Where the messages of this lane go at the moment instead of its destination, or null. */
    String shadow() {
        return shadow;
    }

    void shadow(String now) {
        shadow = now;
    }

    /** Of exactly-once. */
    Proof proof() {
        return proof;
    }

    /** Whether it was said what its messages get with this configuration. */
    boolean isDeclared(Object configuration) {
        return configuration.equals(declaredFor);
    }

    void declared(Object configuration) {
        declaredFor = configuration;
    }

    /** Whether it is time to look for delayed messages: not in every batch, but often while a backlog is drained. */
    boolean promotionDue(long nanos, long period) {
        return lastPromotion == Long.MIN_VALUE || nanos - lastPromotion >= period;
    }

    /** @param failure why it failed, or null */
    void promoted(long nanos, boolean more, Exception failure) {
        lastPromotion = more ? Long.MIN_VALUE : nanos;
        promotionFailure = failure;
    }

    /** Why it failed last, or null. */
    Exception promotionFailure() {
        return promotionFailure;
    }

    /** How many runs in a row have failed. */
    public int failures() {
        return failures;
    }

    void failed(long nanos) {
        if (failures == 0) {
            failingSince = nanos;
            lastReport = nanos;
        }
        failures++;
        lastEnd = nanos;
    }

    long failingFor(long nanos) {
        return nanos - failingSince;
    }

    /** Whether so much time has gone by since the last line about a failure that another one is due. */
    boolean reportDue(long nanos, long period) {
        if (nanos - lastReport < period) {
            return false;
        }
        lastReport = nanos;
        return true;
    }

    /** @return how many runs had failed before this good one */
    int succeeded(long nanos) {
        int before = failures;
        failures = 0;
        lastEnd = nanos;
        return before;
    }

    /**
     * Whether a run ended so lately that a timer which catches up has nothing to do. After the first failure in a row that
     * is not so: then it is the container's own retry that calls.
     */
    boolean isFresh(long nanos, long within) {
        return lastEnd != Long.MIN_VALUE && failures != 1 && nanos - lastEnd < within;
    }
}
