package dev.cdioutbox.tests.crash;

/** Reads the work of the handlers: the rows that are committed. */
final class HandlerArrivals extends Arrivals {
    private static final String ROWS = "SELECT place || '#' || payload FROM handled WHERE place > %d ORDER BY place";

    /** A row with a lower place may be committed later, but not by so many places. */
    private static final long RECENT = 10_000;

    private final Services services;
    private final String run;
    private volatile long last;

    /** @param run the name of the database, and of the queue from which the nodes receive, if they do */
    HandlerArrivals(Services services, String run, AccountBook book) {
        super(book);
        this.services = services;
        this.run = run;
    }

    @Override
    void enter() {
        enter(last - RECENT);
    }

    private synchronized void enter(long after) {
        for (String row : services.query(run, ROWS.formatted(after))) {
            int end = row.indexOf('#');
            received(row.substring(0, end), row.substring(end + 1));
            last = Long.parseLong(row.substring(0, end));
        }
    }

    @Override
    boolean isComplete() {
        boolean queueIsEmpty =
                services.broker().inDoubt() == 0 && services.broker().isEmpty(run);
        enter(0);
        return queueIsEmpty;
    }
}
