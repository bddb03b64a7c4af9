package dev.cdioutbox.internal.operate.console;

import java.util.regex.Pattern;

import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.operate.Act;
import dev.cdioutbox.internal.operate.PortionedOperations.Portion;
import dev.cdioutbox.internal.store.Operations.Extent;

/**
 * Changes any number of messages, portion by portion, each in a transaction of its own. The page says where a portion begins
 * and which message is the last of all, as it was when the operator was asked: what came later is not touched, and what was
 * replayed and sent does not match a second time.
 */
final class Steering {
    static final int PORTION = 500;

    private static final Pattern NAME = Pattern.compile("[0-9a-f]{32}");

    private final Desk desk;

    Steering(Desk desk) {
        this.desk = desk;
    }

    JsonObject preview(String action, OutboxFilter filter) {
        Extent extent = desk.tables().extent(act(action).change(), filter, OutboxBacklog.CAP);
        return Json.createObjectBuilder()
                .add("outbox", desk.outbox().name())
                .add("count", extent.count())
                .add("capped", extent.count() >= OutboxBacklog.CAP)
                .add("below", extent.last() + 1)
                .build();
    }

    /** @param name the portion's, by which it can be asked for again; null if it has none */
    JsonObject portion(String action, OutboxFilter wanted, String name) {
        if (wanted.beforeSequence() == null) {
            throw Refusal.badRequest("Up to which message?");
        }
        if (name != null && !NAME.matcher(name).matches()) {
            throw Refusal.badRequest("A portion's name is 32 hexadecimal digits.");
        }
        Portion portion = desk.operations().portion(act(action), wanted.withLimit(PORTION), name);
        return Json.createObjectBuilder(changed(portion.changed()))
                .add("after", portion.last() == null ? JsonValue.NULL : Json.createValue(portion.last()))
                .build();
    }

    private static Act act(String action) {
        return Act.of(action).orElseThrow(() -> Refusal.badRequest("There is no such action."));
    }

    static JsonObject changed(int messages) {
        return Json.createObjectBuilder()
                .add("changed", messages)
                .addNull("after")
                .build();
    }
}
