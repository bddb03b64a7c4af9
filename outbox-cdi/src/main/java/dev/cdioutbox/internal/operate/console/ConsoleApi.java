package dev.cdioutbox.internal.operate.console;

import java.time.Duration;
import java.util.UUID;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxOperations;
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.observe.Observers;
import dev.cdioutbox.internal.operate.BatchedOperations;
import dev.cdioutbox.internal.problem.Problem;

/** The JSON for the console's page. Callers have passed the role check. */
@ApplicationScoped
class ConsoleApi {
    private static final int PAGE = 50;
    private static final Duration MAX_SCAN_TIME = Duration.ofSeconds(1);
    private static final int AUDIT_ENTRIES = 20;

    @Inject
    BatchedOperations operations;

    @Inject
    Outboxes outboxes;

    @Inject
    ThroughputHistory throughput;

    @Inject
    DestinationHealthTracker destinationHealth;

    @Inject
    Observers observers;

    JsonValue read(String what, RequestQuery query) {
        SelectedOutbox selected = selectedOutbox(query);
        if (what.startsWith("messages/")) {
            return message(selected, id(what.substring("messages/".length())));
        }
        return switch (what) {
            case "state" -> StateJson.of(selected, outboxes.names(), throughput.samples(), destinationHealth::health);
            case "messages" -> page(selected, query);
            case "audit" -> MessageJson.auditEntries(selected.operatorStore().lastAuditEntries(AUDIT_ENTRIES));
            case "preview" -> new ConsoleOperations(selected).preview(query.text("action"), query.filter());
            default -> throw RequestRefusedException.notFound();
        };
    }

    JsonValue change(String what, JsonObject asked) {
        RequestQuery query = RequestQuery.of(asked);
        SelectedOutbox selected = selectedOutbox(query);
        return switch (what) {
            case "retry", "discard", "replay", "replay-as-new" ->
                new ConsoleOperations(selected).executeBatch(what, query.filter(), query.text("batch"));
            case "pause", "resume" -> pause(selected.operations(), what, query.text("destination"));
            default -> throw RequestRefusedException.notFound();
        };
    }

    /** The default outbox unless another one is named. */
    private SelectedOutbox selectedOutbox(RequestQuery query) {
        String name = query.text("outbox");
        OpenOutbox outbox = name == null ? outboxes.standard() : outboxes.get(name);
        if (outbox == null) {
            throw RequestRefusedException.badRequest("There is no such outbox.");
        }
        return new SelectedOutbox(outbox, operations.outbox(outbox.name()), observers.node(outbox.name()));
    }

    private static JsonObject pause(OutboxOperations outbox, String what, String destination) {
        if (destination == null) {
            throw RequestRefusedException.badRequest("Which destination?");
        }
        try {
            return ConsoleOperations.changed(
                    (what.equals("pause") ? outbox.pause(destination) : outbox.resume(destination)) ? 1 : 0);
        } catch (OutboxException refused) {
            if (refused.code().equals(Problem.UNKNOWN_PAUSE.code())) {
                throw RequestRefusedException.badRequest("There is no such destination.");
            }
            throw refused;
        }
    }

    /** Scans on for a moment if nothing is found, so that the user need not click for each empty scan window. */
    private static JsonObject page(SelectedOutbox selected, RequestQuery query) {
        OutboxFilter filter = query.filter().withLimit(PAGE);
        long start = System.nanoTime();
        OutboxPage page = selected.outbox().store().list(filter);
        while (page.messages().isEmpty()
                && page.unreadable().isEmpty()
                && !page.isLast()
                && System.nanoTime() - start < MAX_SCAN_TIME.toNanos()) {
            page = selected.outbox().store().list(filter.withBeforeSequence(page.next()));
        }
        return MessageJson.page(page);
    }

    private JsonObject message(SelectedOutbox selected, UUID id) {
        OutboxMessage message = selected.operations().get(id).orElseThrow(RequestRefusedException::notFound);
        DestinationHealth health = destinationHealth.health(selected.label(message));
        return MessageJson.whole(
                selected.outbox().name(),
                message,
                selected.operations().history(id),
                new WaitReason(selected, message, health).reason().orElse(null));
    }

    private static UUID id(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException none) {
            throw RequestRefusedException.notFound();
        }
    }
}
