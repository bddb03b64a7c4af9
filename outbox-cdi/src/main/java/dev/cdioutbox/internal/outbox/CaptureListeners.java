package dev.cdioutbox.internal.outbox;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.spi.DestinationId;

/** Who is told of the messages that an outbox has captured. Thread-safe. */
public final class CaptureListeners {
    private static final Logger LOG = Logger.getLogger(CaptureListeners.class.getName());

    private final List<CaptureListener> all = new CopyOnWriteArrayList<>();

    public void add(CaptureListener listener) {
        all.add(listener);
    }

    public void captured(List<NewMessage> messages) {
        tell(listener -> listener.captured(messages));
    }

    /** @param sequence the {@code seq} of the message */
    public void setAside(DestinationId destination, NewMessage message, long sequence, String reason) {
        tell(listener -> listener.setAside(destination, message, sequence, reason));
    }

    /** Tells each listener. The transaction is committed, so the failure of a listener is only logged. */
    private void tell(Consumer<CaptureListener> news) {
        for (CaptureListener listener : all) {
            try {
                news.accept(listener);
            } catch (RuntimeException | LinkageError e) {
                LOG.log(
                        Level.WARNING,
                        OutboxCode.LISTENER_FAILED.text(listener.getClass().getName(), FailureReason.of(e)),
                        e);
            }
        }
    }
}
