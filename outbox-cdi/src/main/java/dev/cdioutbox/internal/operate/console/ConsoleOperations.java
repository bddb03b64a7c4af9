package dev.cdioutbox.internal.operate.console;

import java.util.regex.Pattern;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.operate.BatchedOperations.OperationBatch;
import dev.cdioutbox.internal.operate.MessageOperation;
import dev.cdioutbox.internal.store.OperatorStore.CandidateCount;

/**
 * Changes any number of messages in batches, each in a transaction of its own. The page sends the start of each batch,
 * and the last message that matched when the operator confirmed: later messages are not touched, and replayed messages
 * do not match twice.
 */
final class ConsoleOperations {
    static final int BATCH_SIZE = 500;

    private static final Pattern NAME = Pattern.compile("[0-9a-f]{32}");

    private final SelectedOutbox selected;

    ConsoleOperations(SelectedOutbox selected) {
        this.selected = selected;
    }

    JsonObject preview(String action, OutboxFilter filter) {
        CandidateCount extent =
                selected.operatorStore().countCandidates(operation(action).change(), filter, OutboxBacklog.CAP);
        return Json.createObjectBuilder()
                .add("outbox", selected.outbox().name())
                .add("count", extent.count())
                .add("capped", extent.count() >= OutboxBacklog.CAP)
                .add("below", extent.last() + 1)
                .build();
    }

    /** @param name the batch's, by which it can be asked for again; null if it has none */
    JsonObject executeBatch(String action, OutboxFilter wanted, String name) {
        if (wanted.beforeSequence() == null) {
            throw RequestRefusedException.badRequest("Up to which message?");
        }
        if (name != null && !NAME.matcher(name).matches()) {
            throw RequestRefusedException.badRequest("A batch's name is 32 hexadecimal digits.");
        }
        OperationBatch batch =
                selected.operations().executeBatch(operation(action), wanted.withLimit(BATCH_SIZE), name);
        return Json.createObjectBuilder(changed(batch.changed()))
                .add("after", batch.last() == null ? JsonValue.NULL : Json.createValue(batch.last()))
                .build();
    }

    private static MessageOperation operation(String action) {
        return MessageOperation.of(action)
                .orElseThrow(() -> RequestRefusedException.badRequest("There is no such action."));
    }

    static JsonObject changed(int messages) {
        return Json.createObjectBuilder()
                .add("changed", messages)
                .addNull("after")
                .build();
    }
}
