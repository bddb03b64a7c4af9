package dev.cdioutbox.internal.dispatch;

/**
 * The current run of a worker, and the threads of earlier ones that are still at work. {@link WorkerState} says what a run is
 * for. An immutable value.
 *
 * <table>
 * <caption>What the end of a thread's work does</caption>
 * <tr><th>the thread belongs to</th><th>it leaves</th><th>it fails</th></tr>
 * <tr><td>this run, and others work</td><td>one thread less</td><td>the run has failed</td></tr>
 * <tr><td>this run, as its last thread</td><td>the run has succeeded, if it is proven</td><td>the run has failed</td></tr>
 * <tr><td>an earlier run, which was replaced because it hung</td><td>one hanging thread less</td>
 *     <td>the run has failed</td></tr>
 * <tr><td>a run whose failure is counted already</td><td>one ignored thread less</td>
 *     <td>one ignored thread less</td></tr>
 * </table>
 *
 * @param number of the run
 * @param countsFrom the threads of runs before this number are ignored: their failure is counted already
 * @param threads the number of its threads at work
 * @param hanging the number of threads at work in earlier runs, which were replaced
 * @param ignored the number of threads at work in runs whose failure is counted
 * @param delivered whether it has delivered a batch, so that there is no outage
 * @param failures the number of consecutive runs before it that have failed
 */
record WorkerRun(int number, int countsFrom, int threads, int hanging, int ignored, boolean delivered, int failures) {
    static final WorkerRun FIRST = new WorkerRun(0, 0, 0, 0, 0, false, 0);

    /** The number of threads at work, in all runs. */
    int allThreads() {
        return threads + hanging + ignored;
    }

    WorkerRun joined() {
        return withThreads(threads + 1);
    }

    WorkerRun withDelivery() {
        return new WorkerRun(number, countsFrom, threads, hanging, ignored, true, failures);
    }

    /**
     * A thread has left.
     *
     * @param run the number of its run
     * @param succeeds whether its work shows that the destination works, or that nothing waits there
     */
    WorkerRun left(int run, boolean succeeds) {
        if (run < countsFrom) {
            return withoutIgnored();
        }
        if (run < number) {
            return new WorkerRun(number, countsFrom, threads, hanging - 1, ignored, delivered, failures);
        }
        if (threads > 1) {
            return withThreads(threads - 1);
        }
        boolean isProven = succeeds && (delivered || hanging == 0);
        return new WorkerRun(number, countsFrom, 0, hanging, ignored, false, isProven ? 0 : failures);
    }

    /**
     * A thread has failed, and has left. The next run does not wait for the other threads of this one.
     *
     * @param run the number of its run
     */
    WorkerRun failed(int run) {
        return run < countsFrom
                ? withoutIgnored()
                : new WorkerRun(number + 1, number + 1, 0, 0, allThreads() - 1, false, failures + 1);
    }

    /** The next run, beside the threads of this one, which hang but have not failed yet. */
    WorkerRun replaced() {
        return new WorkerRun(number + 1, countsFrom, 0, hanging + threads, ignored, false, failures);
    }

    private WorkerRun withThreads(int now) {
        return new WorkerRun(number, countsFrom, now, hanging, ignored, delivered, failures);
    }

    private WorkerRun withoutIgnored() {
        return new WorkerRun(number, countsFrom, threads, hanging, ignored - 1, delivered, failures);
    }
}
