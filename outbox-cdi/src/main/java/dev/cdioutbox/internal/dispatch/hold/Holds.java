package dev.cdioutbox.internal.dispatch.hold;

import java.util.concurrent.atomic.AtomicReference;

import dev.cdioutbox.internal.store.HolderToken;

/**
 * Creates the holds of one destination on this node, and keeps from one claim to the next what the node has last written.
 * Thread-safe.
 */
public final class Holds {
    private final AtomicReference<HolderToken> lastWritten = new AtomicReference<>();

    /** The hold of a claim. */
    public Hold of(DeliveryContext context) {
        Way way = Way.of(context.services(), context.destination(), context.config());
        if (way == Way.MARKER) {
            return new MarkerHold(context, lastWritten);
        }
        // No marker will tell what is sent meanwhile.
        lastWritten.set(null);
        return new NoHold(context, way);
    }
}
