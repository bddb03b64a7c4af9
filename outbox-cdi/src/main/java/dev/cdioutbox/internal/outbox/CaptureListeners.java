package dev.cdioutbox.internal.outbox;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.NewMessage;

/** Who is told of the messages that an outbox has captured. Thread-safe. */
public final class CaptureListeners {
    private static final Logger LOG = Logger.getLogger(CaptureListeners.class.getName());

    private final List<CaptureListener> all = new CopyOnWriteArrayList<>();

    public void add(CaptureListener listener) {
        all.add(listener);
    }

    /** Tells each listener. The transaction is committed, so the failure of a listener is only logged. */
    public void captured(List<NewMessage> messages) {
        for (CaptureListener listener : all) {
            try {
                listener.captured(messages);
            } catch (RuntimeException | LinkageError e) {
                LOG.log(
                        Level.WARNING,
                        OutboxCode.LISTENER_FAILED.text(listener.getClass().getName(), FailureReason.of(e)),
                        e);
            }
        }
    }
}
