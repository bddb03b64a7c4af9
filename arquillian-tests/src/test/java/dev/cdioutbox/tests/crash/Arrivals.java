package dev.cdioutbox.tests.crash;

/** Enters all messages of a destination into the account book. */
interface Arrivals extends AutoCloseable {
    /** Whether all messages that the broker has are in the book. */
    boolean isComplete();

    @Override
    void close();
}
