package dev.cdioutbox.internal.dispatch;

import java.util.Objects;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * Says when a lane begins to send elsewhere and when it ends, and how far it came. It ends also where nothing is sent any
 * more: from then on no message can get a mark, so that the sequence it prints is the last one.
 */
final class Shadowing {
    private static final Logger LOG = Logger.getLogger(Shadowing.class.getName());

    private final OutboxStore store;

    Shadowing(OutboxStore store) {
        this.store = store;
    }

    /** To be called between two batches, by the only thread that is in the lane. */
    void follow(Lane lane, DispatcherConfig now) {
        String before = lane.shadow();
        String shadow = now.enabled() ? now.shadowDestination() : null;
        if (Objects.equals(before, shadow)) {
            return;
        }
        if (before != null) {
            Long highest = store.highestShadowed(lane.destination());
            LOG.info(Problem.SHADOWING_ENDED.text(lane.destination(), highest == null ? "none" : highest));
        }
        if (shadow != null) {
            LOG.info(Problem.SHADOWING_BEGINS.text(
                    lane.destination(), Discarding.isNowhere(shadow) ? "nowhere" : "to '" + shadow + "'"));
        }
        lane.shadow(shadow);
    }
}
