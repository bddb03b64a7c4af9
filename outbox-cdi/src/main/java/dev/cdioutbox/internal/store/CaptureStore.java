package dev.cdioutbox.internal.store;

import java.util.List;

/** Stores captured messages. Thread-safe. */
public interface CaptureStore {

    /**
     * Writes messages in one batch, in the caller's JTA transaction.
     *
     * @throws dev.cdioutbox.EventRefusedException OBX-0344 if the database refuses a value of theirs
     */
    void write(List<NewMessage> messages);
}
