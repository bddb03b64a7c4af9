package dev.cdioutbox.internal.capture;

import java.util.List;

import dev.cdioutbox.internal.store.NewMessage;

/** Looks on from outside. Called after the commit, on the thread that committed; must not throw. */
public interface CaptureListener {

    /** The transaction that stored these messages is committed. */
    default void captured(List<NewMessage> messages) {}
}
