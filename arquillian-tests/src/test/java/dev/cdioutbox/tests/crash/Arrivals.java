package dev.cdioutbox.tests.crash;

import jakarta.jms.JMSException;

/** Enters all that arrives at a destination into the account book, on a thread of its own, which outlives outages. */
abstract class Arrivals implements AutoCloseable {
    static final long WAIT_MILLIS = 200;

    private final AccountBook book;
    private final Thread thread = new Thread(this::run, "arrivals");
    private volatile boolean open = true;

    Arrivals(AccountBook book) {
        this.book = book;
        thread.setDaemon(true);
    }

    /** Enters what arrives, until there is nothing more, an outage or the end. It is then called again. */
    abstract void enter() throws JMSException;

    /** Whether all that has arrived is in the book, and nothing is on its way. */
    abstract boolean isComplete();

    final Arrivals start() {
        thread.start();
        return this;
    }

    private void run() {
        while (open) {
            try {
                enter();
            } catch (JMSException | IllegalStateException away) {
                // The next call connects again.
            }
            NodeProcess.pause(WAIT_MILLIS);
        }
    }

    final boolean isOpen() {
        return open;
    }

    /** @param place the same if the same message is read again */
    final void received(String place, String payload) {
        book.received(place, payload, System.nanoTime());
    }

    @Override
    public final void close() {
        open = false;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
