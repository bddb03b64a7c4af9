package dev.cdioutbox.internal.outbox;

import java.util.List;

import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.spi.DestinationId;

/** Receives captured messages after the commit, on the committing thread. Must not throw. */
public interface CaptureListener {

    /** The transaction that stored these messages has committed. */
    void captured(List<NewMessage> messages);

    /**
     * A received message was stored, and abandoned in the same transaction. Comes after {@link #captured}.
     *
     * @param sequence its {@code seq}
     */
    default void setAside(DestinationId destination, NewMessage message, long sequence, String reason) {}
}
