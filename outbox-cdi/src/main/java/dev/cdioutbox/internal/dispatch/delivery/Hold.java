package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.container.Services;
import dev.cdioutbox.internal.store.HolderToken;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.spi.OutboxPublisher.Marker;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * A claim's hold of a destination with {@link Way#MARKER}; for the other ways, does nothing. The transport numbers the batches
 * that it commits, and so does the database when it settles them. Before the first send, and after each failure, the two are
 * compared:
 *
 * <pre>
 *                  ┌──────────────── a failure, or another node has held the destination ◄───────────────┐
 *                  ▼                                                                                      │
 *   take over: shut out earlier senders, read the marker, settle ─► batch n and marker n are committed ─► n is settled
 * </pre>
 *
 * <p>A row in the database has the {@link HolderToken} of the destination. Each settlement and each take-over replaces it in
 * its transaction, and fails if the row has another token than the one it knows. So of two nodes that believe to hold a
 * destination, the first to change the row wins. One thread uses a hold.
 */
public final class Hold {
    private static final Logger LOG = Logger.getLogger(Hold.class.getName());

    private final DeliveryContext context;
    private final Services services;
    private final Way way;
    /** What this node has last written for this destination; null if that is unknown. */
    private final AtomicReference<HolderToken> last;

    /** What the database has, unless another node has taken over since. */
    private HolderToken token;

    /** Whether no batch can be committed and not settled. */
    private boolean isCertain;

    /** What follows from a comparison of database and transport. */
    enum Step {
        /** The destination has never sent by markers: commit the first one. */
        BEGIN,
        /** All that is committed is settled. */
        GO_ON,
        /** The last batch is committed, and perhaps not settled. */
        SETTLE,
        /** One of the two has lost its memory: a batch may be committed and not settled, and nothing tells which. */
        REFUSE;

        /**
         * <table>
         * <caption>Which step follows</caption>
         * <tr><th>the database has settled</th><th>the transport has committed</th><th>step</th></tr>
         * <tr><td>nothing</td><td>nothing</td><td>BEGIN</td></tr>
         * <tr><td>n</td><td>n</td><td>GO_ON</td></tr>
         * <tr><td>n</td><td>n + 1</td><td>SETTLE</td></tr>
         * <tr><td colspan="2">anything else</td><td>REFUSE</td></tr>
         * </table>
         */
        static Step of(Long settled, Long committed) {
            if (settled == null || committed == null) {
                return settled == null && committed == null ? BEGIN : REFUSE;
            }
            if (committed.equals(settled)) {
                return GO_ON;
            }
            return committed == settled + 1 ? SETTLE : REFUSE;
        }
    }

    /** @param last kept by the caller for the next claim */
    public Hold(DeliveryContext context, AtomicReference<HolderToken> last) {
        this.context = context;
        this.services = context.services();
        this.last = last;
        way = Way.of(services, context.destination(), context.config());
        token = context.claim().holder();
        isCertain = token != null && token.equals(last.get());
    }

    Way way() {
        return way;
    }

    /**
     * Takes the destination over, unless it is held already. What the claim has read is obsolete then.
     *
     * @return whether it was taken over
     */
    public boolean takeOverIfUncertain() throws Exception {
        if (way != Way.MARKER || isCertain) {
            return false;
        }
        takeOver();
        return true;
    }

    /**
     * Takes the destination over if a failure has left it in doubt.
     *
     * @return the messages that were committed before that failure, and are settled now
     */
    Set<Long> afterFailure() throws Exception {
        return way != Way.MARKER || isCertain ? Set.of() : takeOver();
    }

    private Set<Long> takeOver() throws Exception {
        HolderToken before = token == null ? HolderToken.first() : token;
        Marker marker = services.takeOver(context.target(), before.memory());
        Long committed = marker == null ? null : marker.number();
        Step step = Step.of(token == null ? null : token.number(), committed);
        if (step == Step.REFUSE) {
            throw markerLost(before, committed);
        }
        if (step == Step.BEGIN) {
            // Before the database knows the memory: from then on, a marker that is not there is lost.
            try (Sender first = services.open(context.target(), before.memory(), 0)) {
                first.complete();
            }
        }
        Map<Long, UUID> sent = step == Step.SETTLE ? marker.messages() : Map.of();
        HolderToken after = (step == Step.SETTLE ? before.next() : before).heldAnew();
        // An operator may have discarded some of them.
        Map<Long, UUID> waiting = sent.isEmpty()
                ? sent
                : services.outside(() -> services.store().settlements().pendingIds(sent.keySet()));
        if (!sent.entrySet().containsAll(waiting.entrySet())) {
            throw markerLost(before, committed);
        }
        services.inNew(() -> {
            replace(after);
            if (!waiting.isEmpty()) {
                services.store().settlements().settle(published(waiting.keySet()), null);
            }
        });
        if (!sent.isEmpty()) {
            int discarded = sent.size() - waiting.size();
            LOG.info(OutboxCode.SETTLED_BY_MARKER.text(context.label(), committed, waiting.size(), discarded));
        }
        isNow(after);
        return sent.keySet();
    }

    private PublishException markerLost(HolderToken before, Long committed) {
        String text = OutboxCode.MARKER_LOST.text(context.label(), before.number(), committed);
        return new PublishException(Blame.DESTINATION, text, null);
    }

    /** Without a shadow mark: markers are of the destination itself. */
    private Settlement published(Set<Long> sequences) {
        return Settlement.published(List.copyOf(sequences), context.config().retention(), null, Map.of());
    }

    /**
     * Opens the sender of the next batch, which the transport may commit although it reports a failure. Until the settlement,
     * nothing is certain.
     */
    Sender open() throws PublishException {
        isCertain = false;
        last.set(null);
        return way == Way.MARKER
                ? services.open(context.target(), token.memory(), token.number() + 1)
                : services.open(context.target());
    }

    /** Notes the number of the batch, in the transaction of its settlement. */
    void noteBatch() {
        if (way == Way.MARKER) {
            replace(token.next());
        }
    }

    /** Fails if another node has taken the destination over, and may have sent what this one is about to charge. */
    void ensureHeld() {
        if (way == Way.MARKER) {
            replace(token);
        }
    }

    private void replace(HolderToken after) {
        if (!services.store().holders().replace(context.destination(), token, after)) {
            throw OutboxCode.HOLD_LOST.exception(context.label());
        }
    }

    /**
     * The transaction of the settlement is committed.
     *
     * @param noted whether it has noted the number of the batch
     */
    void committed(boolean noted) {
        if (way == Way.MARKER) {
            isNow(noted ? token.next() : token);
        }
    }

    private void isNow(HolderToken now) {
        token = now;
        isCertain = true;
        last.set(now);
    }
}
