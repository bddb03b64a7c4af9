package dev.cdioutbox.internal.operate.console;

import java.time.Duration;
import java.util.List;
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
import dev.cdioutbox.internal.config.ConfigSource;
import dev.cdioutbox.internal.operate.Subject;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Operations;
import dev.cdioutbox.internal.store.Operations.Audited;

/** What the console's page asks for, in JSON. Who asks was let in already. */
@ApplicationScoped
class ConsoleApi {
    private static final int PAGE = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final int ACTS = 20;
    /** The acts among which a message's own are looked for. */
    private static final int HISTORY = 500;

    @Inject
    OutboxOperations outbox;

    @Inject
    Operations operations;

    @Inject
    ConfigSource config;

    @Inject
    Pulse pulse;

    @Inject
    Steering steering;

    JsonValue look(String what, Query query) {
        if (what.startsWith("messages/")) {
            return message(id(what.substring("messages/".length())));
        }
        return switch (what) {
            case "state" -> StateJson.of(outbox.status(), outbox.nodes(), config.current(), pulse.samples());
            case "messages" -> page(query);
            case "acts" -> MessageJson.acts(operations.audited(ACTS));
            case "preview" -> steering.preview(query.text("action"), query.filter());
            default -> throw Refusal.notFound();
        };
    }

    JsonValue change(String what, JsonObject asked) {
        Query query = Query.of(asked);
        return switch (what) {
            case "retry", "discard", "replay", "replay-as-new" -> steering.portion(what, query.filter());
            case "pause", "resume" -> pause(what, query.text("destination"));
            default -> throw Refusal.notFound();
        };
    }

    private JsonObject pause(String what, String destination) {
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
    private JsonObject page(Query query) {
        OutboxFilter filter = query.filter().withLimit(PAGE);
        long start = System.nanoTime();
        OutboxPage page = outbox.page(filter);
        while (page.messages().isEmpty() && !page.isLast() && System.nanoTime() - start < PATIENCE.toNanos()) {
            page = outbox.page(filter.withBeforeSequence(page.next()));
        }
        return MessageJson.page(page);
    }

    private JsonObject message(UUID id) {
        OutboxMessage message = outbox.get(id).orElseThrow(Refusal::notFound);
        List<Audited> acts = operations.audited(HISTORY).stream()
                .filter(act -> !act.at().isBefore(message.createdAt()))
                .filter(act -> Subject.mayConcern(act.subject(), message))
                .toList();
        return MessageJson.whole(message, acts);
    }

    private static UUID id(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException none) {
            throw Refusal.notFound();
        }
    }
}
