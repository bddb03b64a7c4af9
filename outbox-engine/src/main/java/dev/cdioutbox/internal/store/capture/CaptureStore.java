package dev.cdioutbox.internal.store.capture;

import java.util.List;

import dev.cdioutbox.internal.store.NewMessage;

/** Stores captured messages. Thread-safe. */
public interface CaptureStore {

    /**
     * Refuses messages that nothing could send, before they are written.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0351 or OBX-0352
     */
    default void require(List<NewMessage> messages) {}

    /**
     * Writes messages in one batch, in the caller's JTA transaction.
     *
     * @throws dev.cdioutbox.EventRefusedException OBX-0344 if the database refuses a text of theirs
     */
    void write(List<NewMessage> messages);
}
