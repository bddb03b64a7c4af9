package dev.cdioutbox.internal.outbox;

import java.util.List;

import dev.cdioutbox.internal.store.NewMessage;

/** Receives captured messages after the commit, on the committing thread. Must not throw. */
public interface CaptureListener {

    /** The transaction that stored these messages has committed. */
    void captured(List<NewMessage> messages);
}
