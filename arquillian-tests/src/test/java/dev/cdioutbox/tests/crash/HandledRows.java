package dev.cdioutbox.tests.crash;

import java.util.List;

/** Enters the work of the handlers into the account book: the rows that are committed. */
final class HandledRows implements Arrivals {
    private static final String ROWS = "SELECT place || '#' || payload FROM handled ORDER BY place";

    private final Services services;
    private final String database;
    private final AccountBook book;
    private final Thread thread = new Thread(this::run, "handled rows");
    private volatile boolean closed;

    HandledRows(Services services, String database, AccountBook book) {
        this.services = services;
        this.database = database;
        this.book = book;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        while (!closed) {
            read();
            NodeProcess.pause(200);
        }
    }

    /** Reads all rows each time, since a lower place may be committed later. */
    private synchronized void read() {
        List<String> rows = services.query(database, ROWS);
        long now = System.nanoTime();
        for (String row : rows) {
            int end = row.indexOf('#');
            book.received(row.substring(0, end), row.substring(end + 1), now);
        }
    }

    @Override
    public boolean isComplete() {
        read();
        return true;
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
