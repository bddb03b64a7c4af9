package dev.cdioutbox.tests.consume;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects the outbox's log records in this server until it is closed. */
final class LogLines extends Handler implements AutoCloseable {
    private static final Logger OUTBOX = Logger.getLogger("dev.cdioutbox");

    private final List<String> lines = new CopyOnWriteArrayList<>();

    LogLines() {
        OUTBOX.addHandler(this);
    }

    List<String> lines() {
        return lines;
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(line.getLevel() + " " + line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        OUTBOX.removeHandler(this);
    }
}
