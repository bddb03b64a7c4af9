package dev.cdioutbox.internal.code;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects the lines of a logger, from INFO on, until it is closed. No other handler gets them. */
public final class LogLines extends Handler implements AutoCloseable {
    private final Logger logger;
    private final Level before;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<Throwable> traces = new CopyOnWriteArrayList<>();

    public LogLines(String name) {
        logger = Logger.getLogger(name);
        before = logger.getLevel();
        logger.setLevel(Level.INFO);
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    public List<String> all() {
        return lines;
    }

    /** The failures whose stack traces the lines have. */
    public List<Throwable> traces() {
        return traces;
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(line.getMessage());
        if (line.getThrown() != null) {
            traces.add(line.getThrown());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
        logger.setLevel(before);
    }
}
