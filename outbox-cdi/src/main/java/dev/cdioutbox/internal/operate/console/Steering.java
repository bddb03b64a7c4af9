package dev.cdioutbox.internal.operate.console;

import java.util.List;
import java.util.Map;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.store.Operations.Change;
import dev.cdioutbox.internal.store.Operations.Extent;

/**
 * Changes any number of messages, portion by portion, each in a transaction of its own. The page says where a portion begins
 * and which message is the last of all, as it was when the operator was asked: what came later is not touched, and what was
 * replayed and sent does not match a second time.
 */
final class Steering {
    static final int PORTION = 500;

    private static final Map<String, Change> CHANGES = Map.of(
            "retry", Change.RETRY, "discard", Change.DISCARD, "replay", Change.REPLAY, "replay-as-new", Change.REPLAY);

    private final Desk desk;

    Steering(Desk desk) {
        this.desk = desk;
    }

    JsonObject preview(String action, OutboxFilter filter) {
        if (action == null || !CHANGES.containsKey(action)) {
            throw Refusal.badRequest("There is no such action.");
        }
        Extent extent = desk.tables().extent(CHANGES.get(action), filter, OutboxBacklog.CAP);
        return Json.createObjectBuilder()
                .add("outbox", desk.outbox().name())
                .add("count", extent.count())
                .add("capped", extent.count() >= OutboxBacklog.CAP)
                .add("below", extent.last() + 1)
                .build();
    }

    JsonObject portion(String action, OutboxFilter wanted) {
        if (wanted.beforeSequence() == null) {
            throw Refusal.badRequest("Up to which message?");
        }
        OutboxFilter filter = wanted.withLimit(PORTION);
        List<Long> candidates = desk.tables().candidates(CHANGES.get(action), filter);
        if (candidates.isEmpty()) {
            return changed(0);
        }
        long last = candidates.get(candidates.size() - 1);
        int changed =
                act(action, filter.withAfterSequence(candidates.get(0) - 1).withBeforeSequence(last + 1));
        return Json.createObjectBuilder(changed(changed))
                .add("after", candidates.size() < PORTION ? JsonValue.NULL : Json.createValue(last))
                .build();
    }

    private int act(String action, OutboxFilter filter) {
        return switch (action) {
            case "retry" -> desk.operations().retry(filter);
            case "discard" -> desk.operations().discard(filter);
            case "replay" -> desk.operations().replay(filter);
            case "replay-as-new" -> desk.operations().replayAsNew(filter);
            default -> throw new IllegalArgumentException(action);
        };
    }

    static JsonObject changed(int messages) {
        return Json.createObjectBuilder()
                .add("changed", messages)
                .addNull("after")
                .build();
    }
}
