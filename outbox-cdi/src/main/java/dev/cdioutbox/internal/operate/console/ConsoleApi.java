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
import dev.cdioutbox.internal.operate.PortionedOperations;
import dev.cdioutbox.internal.problem.Problem;

/** What the console's page asks for, in JSON. Who asks was let in already. */
@ApplicationScoped
class ConsoleApi {
    private static final int PAGE = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final int ACTS = 20;

    @Inject
    PortionedOperations operations;

    @Inject
    Outboxes outboxes;

    @Inject
    Pulse pulse;

    @Inject
    Troubles troubles;

    @Inject
    Observers observers;

    JsonValue look(String what, Query query) {
        Desk desk = desk(query);
        if (what.startsWith("messages/")) {
            return message(desk, id(what.substring("messages/".length())));
        }
        return switch (what) {
            case "state" -> StateJson.of(desk, outboxes.names(), pulse.samples(), troubles::way);
            case "messages" -> page(desk, query);
            case "acts" -> MessageJson.acts(desk.tables().audited(ACTS));
            case "preview" -> new Steering(desk).preview(query.text("action"), query.filter());
            default -> throw Refusal.notFound();
        };
    }

    JsonValue change(String what, JsonObject asked) {
        Query query = Query.of(asked);
        Desk desk = desk(query);
        return switch (what) {
            case "retry", "discard", "replay", "replay-as-new" ->
                new Steering(desk).portion(what, query.filter(), query.text("portion"));
            case "pause", "resume" -> pause(desk.operations(), what, query.text("destination"));
            default -> throw Refusal.notFound();
        };
    }

    /** The default outbox unless another one is named. */
    private Desk desk(Query query) {
        String name = query.text("outbox");
        OpenOutbox outbox = name == null ? outboxes.standard() : outboxes.get(name);
        if (outbox == null) {
            throw Refusal.badRequest("There is no such outbox.");
        }
        return new Desk(outbox, operations.outbox(outbox.name()), observers.node(outbox.name()));
    }

    private static JsonObject pause(OutboxOperations outbox, String what, String destination) {
        if (destination == null) {
            throw Refusal.badRequest("Which destination?");
        }
        try {
            return Steering.changed(
                    (what.equals("pause") ? outbox.pause(destination) : outbox.resume(destination)) ? 1 : 0);
        } catch (OutboxException refused) {
            if (refused.code().equals(Problem.UNKNOWN_PAUSE.code())) {
                throw Refusal.badRequest("There is no such destination.");
            }
            throw refused;
        }
    }

    /** Looks on for a moment where nothing is found, so that nobody has to ask for each stretch of what is not there. */
    private static JsonObject page(Desk desk, Query query) {
        OutboxFilter filter = query.filter().withLimit(PAGE);
        long start = System.nanoTime();
        OutboxPage page = desk.outbox().store().list(filter);
        while (page.messages().isEmpty()
                && page.unreadable().isEmpty()
                && !page.isLast()
                && System.nanoTime() - start < PATIENCE.toNanos()) {
            page = desk.outbox().store().list(filter.withBeforeSequence(page.next()));
        }
        return MessageJson.page(page);
    }

    private JsonObject message(Desk desk, UUID id) {
        OutboxMessage message = desk.operations().get(id).orElseThrow(Refusal::notFound);
        Way way = troubles.way(desk.label(message));
        return MessageJson.whole(
                desk.outbox().name(),
                message,
                desk.operations().history(id),
                new WhyItWaits(desk, message, way).reason().orElse(null));
    }

    private static UUID id(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException none) {
            throw Refusal.notFound();
        }
    }
}
