package dev.cdioutbox.internal.operate.console;

import java.util.List;
import java.util.Set;
import java.util.function.Function;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.config.OutboxConfig;

/** The state at a glance, as the page reads it. */
final class StateJson {
    private StateJson() {}

    static JsonObject of(
            SelectedOutbox selected,
            Set<String> outboxes,
            List<ThroughputSample> samples,
            Function<String, DestinationHealth> healthOf) {
        OutboxBacklog backlog = selected.operations().status();
        NodeList nodes = selected.nodes();
        OutboxConfig config = selected.config();
        JsonObjectBuilder json = Json.createObjectBuilder()
                .add("outbox", selected.outbox().name())
                .add("outboxes", Json.createArrayBuilder(outboxes))
                .add("application", config.store().application())
                .add("dispatching", config.dispatcher().enabled())
                .add("idle", nodes.isIdle())
                .add("delivery", config.dispatcher().delivery().toString())
                .add("cap", OutboxBacklog.CAP)
                .add("pending", backlog.pending())
                .add("failed", backlog.failed())
                .add("abandoned", backlog.abandoned())
                .add("readAt", backlog.readAt().toString())
                .add("paused", Json.createArrayBuilder(backlog.paused()))
                .add(
                        "destinations",
                        Json.createArrayBuilder(
                                config.destinations().keySet().stream().sorted().toList()));
        backlog.oldestPending().ifPresent(oldest -> json.add("oldest", oldest.toString()));
        if (config.dispatcher().shadowDestination() != null) {
            json.add("shadow", config.dispatcher().shadowDestination());
        }
        new OldestMessage(selected, backlog)
                .message()
                .ifPresent(message -> json.add(
                        "stuck",
                        stuck(message, new WaitReason(selected, message, healthOf.apply(selected.label(message))))));
        return json.add("troubles", failures(selected, healthOf))
                .add("silent", silent(selected, healthOf))
                .add("nodes", nodes(nodes))
                .add("samples", samples(samples))
                .build();
    }

    /** The line at the top about the oldest waiting message. */
    private static JsonObjectBuilder stuck(OutboxMessage message, WaitReason why) {
        return Json.createObjectBuilder()
                .add("id", message.id().toString())
                .add("why", why.reason().orElse(""));
    }

    /** By destination. */
    private static JsonObjectBuilder failures(SelectedOutbox selected, Function<String, DestinationHealth> healthOf) {
        JsonObjectBuilder json = Json.createObjectBuilder();
        for (String destination : selected.config().destinations().keySet()) {
            LastFailure failure =
                    healthOf.apply(selected.outbox().label(destination)).failure();
            if (failure != null) {
                json.add(
                        destination,
                        Json.createObjectBuilder().add("at", failure.at()).add("reason", failure.reason()));
            }
        }
        return json;
    }

    /** By destination, in seconds. */
    private static JsonObjectBuilder silent(SelectedOutbox selected, Function<String, DestinationHealth> healthOf) {
        JsonObjectBuilder json = Json.createObjectBuilder();
        for (String destination : selected.config().destinations().keySet()) {
            DestinationHealth health = healthOf.apply(selected.outbox().label(destination));
            if (health.isSilent()) {
                json.add(destination, health.silence().toSeconds());
            }
        }
        return json;
    }

    private static JsonArrayBuilder nodes(NodeList nodes) {
        JsonArrayBuilder json = Json.createArrayBuilder();
        for (OutboxNode node : nodes.all()) {
            json.add(Json.createObjectBuilder()
                    .add("host", node.host())
                    .add("server", node.server())
                    .add("process", node.process())
                    .add("version", node.version())
                    .add("startedAt", node.startedAt().toString())
                    .add("lastSeenAt", node.lastSeenAt().toString())
                    .add("alive", node.isAlive())
                    .add("here", nodes.isHere(node))
                    .add("off", nodes.isOff(node))
                    .add("partitions", node.partitions()));
        }
        return json;
    }

    private static JsonArrayBuilder samples(List<ThroughputSample> samples) {
        JsonArrayBuilder json = Json.createArrayBuilder();
        for (ThroughputSample sample : samples) {
            json.add(Json.createObjectBuilder()
                    .add("at", sample.at())
                    .add("captured", sample.captured())
                    .add("published", sample.published())
                    .add("failures", sample.failures())
                    .add("age", sample.oldestAgeSeconds()));
        }
        return json;
    }
}
