package dev.cdioutbox.internal.dispatch;

import java.util.Map;
import java.util.TreeMap;

/**
 * The threads of a worker that are at work, what the end of each will say, and what their ends have said so far. {@link
 * WorkerState} says what a run is for. An immutable value.
 *
 * <table>
 * <caption>What the end of a thread's work does</caption>
 * <tr><th>the thread</th><th>leaves</th><th>fails</th></tr>
 * <tr><td>is of the run, and others of it work</td><td>nothing</td><td>the run has failed</td></tr>
 * <tr><td>is the last one of the run</td><td>the run has succeeded, if that is proven</td><td>the run has failed</td></tr>
 * <tr><td>hung, so that others took its place</td><td>nothing</td><td>the run has failed</td></tr>
 * <tr><td>has worked when another one failed</td><td>nothing</td><td>nothing: it is the same outage</td></tr>
 * </table>
 *
 * @param atWork the threads by their numbers
 * @param delivered whether the run has delivered a batch, so that there is no outage
 * @param failures the number of consecutive failed runs
 */
record Threads(Map<Integer, Standing> atWork, boolean delivered, int failures) {
    static final Threads NONE = new Threads(Map.of(), false, 0);

    /** What a thread is to the run. */
    enum Standing {
        /** Its failure fails the run, and the run lasts until it leaves. */
        OF_RUN,
        /** It has hung for so long that others took its place. Its failure fails the run, which does not wait for it. */
        HANGING,
        /** It was at work when another thread failed. It meets the same outage, so its end says nothing. */
        IGNORED
    }

    int count() {
        return atWork.size();
    }

    boolean isOfRun(int thread) {
        return atWork.get(thread) == Standing.OF_RUN;
    }

    /** The number of the thread that comes next. */
    int next() {
        int number = 0;
        while (atWork.containsKey(number)) {
            number++;
        }
        return number;
    }

    Threads joined(int thread) {
        Map<Integer, Standing> now = new TreeMap<>(atWork);
        now.put(thread, Standing.OF_RUN);
        return new Threads(now, delivered, failures);
    }

    Threads withDelivery() {
        return new Threads(atWork, true, failures);
    }

    /** @param succeeds whether its work shows that the destination works, or that nothing waits there */
    Threads left(int thread, boolean succeeds) {
        Map<Integer, Standing> others = without(thread);
        if (!isOfRun(thread) || others.containsValue(Standing.OF_RUN)) {
            return new Threads(others, delivered, failures);
        }
        // While a thread hangs, a run that has found nothing shows nothing.
        boolean isProven = succeeds && (delivered || !others.containsValue(Standing.HANGING));
        return new Threads(others, false, isProven ? 0 : failures);
    }

    /** A thread has failed, and has left. The next run does not wait for the others. */
    Threads failed(int thread) {
        Map<Integer, Standing> others = without(thread);
        if (atWork.get(thread) == Standing.IGNORED) {
            return new Threads(others, delivered, failures);
        }
        others.replaceAll((number, standing) -> Standing.IGNORED);
        return new Threads(others, false, failures + 1);
    }

    /** The next run begins beside the threads of this one, which hang but have not failed yet. */
    Threads replaced() {
        Map<Integer, Standing> hanging = new TreeMap<>(atWork);
        hanging.replaceAll((number, standing) -> standing == Standing.OF_RUN ? Standing.HANGING : standing);
        return new Threads(hanging, false, failures);
    }

    private Map<Integer, Standing> without(int thread) {
        Map<Integer, Standing> others = new TreeMap<>(atWork);
        others.remove(thread);
        return others;
    }
}
