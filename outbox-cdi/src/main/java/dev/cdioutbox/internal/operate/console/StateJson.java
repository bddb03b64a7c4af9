package dev.cdioutbox.internal.operate.console;

import java.util.List;
import java.util.Map;
import java.util.Set;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.config.OutboxConfig;

/** The state at a glance, as the page reads it. */
final class StateJson {
    private StateJson() {}

    static JsonObject of(Desk desk, Set<String> outboxes, List<Sample> samples, Map<String, Trouble> troubles) {
        OutboxBacklog backlog = desk.operations().status();
        OutboxConfig config = desk.config();
        JsonObjectBuilder json = Json.createObjectBuilder()
                .add("outbox", desk.outbox().name())
                .add("outboxes", Json.createArrayBuilder(outboxes))
                .add("application", config.store().application())
                .add("dispatching", config.dispatcher().enabled())
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
        return json.add("troubles", troubles(desk, troubles))
                .add("nodes", nodes(desk.operations().nodes()))
                .add("samples", samples(samples))
                .build();
    }

    /** By destination. */
    private static JsonObjectBuilder troubles(Desk desk, Map<String, Trouble> troubles) {
        JsonObjectBuilder json = Json.createObjectBuilder();
        for (String destination : desk.config().destinations().keySet()) {
            Trouble trouble = troubles.get(desk.outbox().label(destination));
            if (trouble != null) {
                json.add(
                        destination,
                        Json.createObjectBuilder().add("at", trouble.at()).add("reason", trouble.reason()));
            }
        }
        return json;
    }

    private static JsonArrayBuilder nodes(List<OutboxNode> nodes) {
        JsonArrayBuilder json = Json.createArrayBuilder();
        for (OutboxNode node : nodes) {
            json.add(Json.createObjectBuilder()
                    .add("host", node.host())
                    .add("server", node.server())
                    .add("process", node.process())
                    .add("version", node.version())
                    .add("startedAt", node.startedAt().toString())
                    .add("lastSeenAt", node.lastSeenAt().toString())
                    .add("alive", node.isAlive())
                    .add("partitions", node.partitions()));
        }
        return json;
    }

    private static JsonArrayBuilder samples(List<Sample> samples) {
        JsonArrayBuilder json = Json.createArrayBuilder();
        for (Sample sample : samples) {
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
