package dev.cdioutbox.testing;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;

import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;

/** Describes in AsyncAPI 3.0 what an application sends, for those who receive it: a channel for each destination. */
final class AsyncApi {
    private static final String JMS = "jms";
    private static final String JMS_BINDING = "0.0.1";
    private static final String KAFKA = "kafka";
    private static final String KAFKA_BINDING = "0.5.0";
    private static final String SCHEMAS = "#/components/schemas/";

    /** The keys of components have few characters. */
    private static final Pattern NOT_IN_A_KEY = Pattern.compile("[^\\w.-]");

    private final ConfigurationFiles files;
    private final SortedMap<String, Channel> channels = new TreeMap<>();
    private final SortedMap<String, Shape> shapes = new TreeMap<>();

    /** A destination. @param payloads what is sent to it, by their keys @param copies which of them may be dead-letter copies */
    private record Channel(
            String name,
            DestinationConfig destination,
            OutboxConfig config,
            SortedMap<String, Payload> payloads,
            Set<String> copies) {}

    /** @param configs the configuration of an outbox by its name */
    AsyncApi(ConfigurationFiles files, Function<String, OutboxConfig> configs, Collection<Payload> payloads) {
        this.files = files;
        for (Payload payload : payloads) {
            OutboxConfig config = configs.apply(payload.type().outbox());
            List<String> named = payload.type().destinations();
            List<String> destinations =
                    named.isEmpty() ? config.route(payload.type().name()) : named;
            destinations.stream()
                    .filter(name -> !name.equals(DestinationConfig.LOCAL))
                    .forEach(name -> add(payload, name, config));
        }
    }

    private void add(Payload payload, String destination, OutboxConfig config) {
        shapes.merge(key(payload), payload.shape(), Shape::merge);
        Channel channel = channel(payload, destination, config);
        channel.payloads().put(key(payload), payload);
        String deadLetter = channel.destination().deadLetter();
        if (deadLetter != null) {
            Channel ofCopies = channel(payload, deadLetter, config);
            ofCopies.payloads().put(key(payload), payload);
            ofCopies.copies().add(key(payload));
        }
    }

    private Channel channel(Payload payload, String name, OutboxConfig config) {
        DestinationConfig destination = config.destinations().get(name);
        if (destination == null) {
            throw new IllegalArgumentException(
                    ("%s goes to the destination '%s', which the given files do not configure."
                                    + " Name the file that has the keys outbox.destinations.%s.…")
                            .formatted(payload.name(), name, name));
        }
        return channels.computeIfAbsent(
                config.destinationId(name).toString(),
                id -> new Channel(id, destination, config, new TreeMap<>(), new TreeSet<>()));
    }

    JsonObject document(String title, String version) {
        JsonObjectBuilder allChannels = Json.createObjectBuilder();
        JsonObjectBuilder operations = Json.createObjectBuilder();
        channels.forEach((name, channel) -> {
            allChannels.add(key(name), channel(channel));
            operations.add("send." + key(name), operation(key(name), channel));
        });
        JsonObjectBuilder schemas = Json.createObjectBuilder();
        shapes.forEach((key, shape) -> schemas.add(key, shape.schema(pointer -> SCHEMAS + key + fragment(pointer))));
        return Json.createObjectBuilder()
                .add("asyncapi", "3.0.0")
                .add("info", Json.createObjectBuilder().add("title", title).add("version", version))
                .add("defaultContentType", "application/json")
                .add("channels", allChannels)
                .add("operations", operations)
                .add("components", Json.createObjectBuilder().add("schemas", schemas))
                .build();
    }

    private JsonObjectBuilder channel(Channel channel) {
        JsonObjectBuilder described = Json.createObjectBuilder().add("title", channel.name());
        String address = channel.destination().address();
        if (isJms(channel)) {
            addJms(described, address);
        } else if (isKafka(channel)) {
            described
                    .add("description", "A topic of Kafka.")
                    .add("address", address)
                    .add(
                            "bindings",
                            binding(
                                    KAFKA,
                                    KAFKA_BINDING,
                                    Json.createObjectBuilder().add("topic", address)));
        } else {
            described.add(
                    "description",
                    "The publisher '%s' sends to it."
                            .formatted(channel.destination().transport()));
            Optional.ofNullable(address)
                    .ifPresentOrElse(known -> described.add("address", known), () -> described.addNull("address"));
        }
        JsonObjectBuilder messages = Json.createObjectBuilder();
        channel.payloads().forEach((key, payload) -> messages.add(key, message(key, payload, channel)));
        return described.add("messages", messages);
    }

    /** The binding of AsyncAPI knows queues only. */
    private void addJms(JsonObjectBuilder described, String jndi) {
        files.address(jndi)
                .ifPresentOrElse(
                        found -> {
                            described
                                    .add("description", found.isTopic() ? "A topic of JMS." : "A queue of JMS.")
                                    .add("address", found.name());
                            if (!found.isTopic()) {
                                JsonObjectBuilder queue = Json.createObjectBuilder()
                                        .add("destination", found.name())
                                        .add("destinationType", "queue");
                                described.add("bindings", binding(JMS, JMS_BINDING, queue));
                            }
                        },
                        () -> described
                                .add(
                                        "description",
                                        "A queue or topic of JMS. The address is its JNDI name at the sender.")
                                .add("address", jndi));
    }

    private static JsonObjectBuilder message(String key, Payload payload, Channel channel) {
        JsonObjectBuilder message = Json.createObjectBuilder()
                .add("name", payload.type().name())
                .add(
                        "title",
                        payload.type().name() + ", version " + payload.type().version())
                .add("contentType", payload.contentType());
        if (payload.isJson()) {
            message.add("payload", Json.createObjectBuilder().add("$ref", SCHEMAS + key));
        }
        if (isJms(channel) || isKafka(channel)) {
            message.add(
                    "headers",
                    MessageHeaders.of(
                            payload,
                            channel.destination(),
                            channel.config().jms(),
                            channel.copies().contains(key)));
        }
        if (isJms(channel)) {
            JsonObjectBuilder headers =
                    Json.createObjectBuilder().add("headers", MessageHeaders.ofJms(payload, channel.destination()));
            message.add("bindings", binding(JMS, JMS_BINDING, headers));
        } else if (isKafka(channel)) {
            JsonObjectBuilder recordKey = Json.createObjectBuilder()
                    .add(
                            "key",
                            Json.createObjectBuilder()
                                    .add("type", "string")
                                    .add("description", "The key of the event; absent if it has none."));
            message.add("bindings", binding(KAFKA, KAFKA_BINDING, recordKey));
        }
        return message;
    }

    private static JsonObjectBuilder operation(String channelKey, Channel channel) {
        JsonArrayBuilder messages = Json.createArrayBuilder();
        channel.payloads()
                .keySet()
                .forEach(key -> messages.add(reference("#/channels/" + channelKey + "/messages/" + key)));
        return Json.createObjectBuilder()
                .add("action", "send")
                .add("channel", reference("#/channels/" + channelKey))
                .add("messages", messages);
    }

    private static boolean isJms(Channel channel) {
        return channel.destination().transport().equals(DestinationConfig.JMS);
    }

    private static boolean isKafka(Channel channel) {
        return Set.of(DestinationConfig.KAFKA, DestinationConfig.CDC)
                .contains(channel.destination().transport());
    }

    private static JsonObjectBuilder binding(String protocol, String version, JsonObjectBuilder binding) {
        return Json.createObjectBuilder().add(protocol, binding.add("bindingVersion", version));
    }

    private static JsonObjectBuilder reference(String pointer) {
        return Json.createObjectBuilder().add("$ref", pointer);
    }

    private static String key(Payload payload) {
        return key(payload.type().name()) + "." + payload.type().version();
    }

    private static String key(String name) {
        return NOT_IN_A_KEY
                .matcher(name)
                .replaceAll(other -> "_" + Integer.toHexString(other.group().codePointAt(0)));
    }

    /** A JSON pointer in the characters of a URI. */
    private static String fragment(String pointer) {
        try {
            return new URI(null, null, pointer).getRawFragment();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(pointer, e);
        }
    }
}
