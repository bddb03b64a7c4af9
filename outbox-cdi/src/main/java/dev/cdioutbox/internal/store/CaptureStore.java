package dev.cdioutbox.internal.store;

import java.util.List;

/** Stores captured messages. Thread-safe. */
public interface CaptureStore {

    /** Writes messages in one batch, in the caller's JTA transaction. */
    void write(List<NewMessage> messages);
}
