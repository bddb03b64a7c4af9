package dev.cdioutbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

import jakarta.jms.MessageListener;
import jakarta.persistence.EntityManager;

import dev.cdioutbox.jms.internal.consume.ReceivedMessages;
import dev.cdioutbox.spi.OutboxSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The code of docs/howto/avro.md sends an event, and reads it where the class of the event is not there. */
class AvroPageTest {
    private static final Path PAGE = Path.of("..", "docs", "howto", "avro.md");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(java|json)\\n(.*?)^```");

    @TempDir
    Path sender;

    @TempDir
    Path consumer;

    @Test
    void eventIsReadWithoutItsClass() throws Exception {
        List<String> shown = shown();
        for (Path application : List.of(sender, consumer)) {
            Files.writeString(
                    Files.createDirectory(application.resolve("avro")).resolve("OrderPlaced-1.avsc"), shown.get(0));
        }
        OutboxPayload payload = sent(shown.get(1));
        MessageListener bean = bean(shown.get(2));
        List<Object> persisted = new ArrayList<>();
        inject(bean, "entities", ReceivedMessages.fake(EntityManager.class, (method, arguments) -> {
            persisted.add(arguments[0]);
            return null;
        }));
        inject(bean, "events", ReceivedMessages.events());

        bean.onMessage(ReceivedMessages.of(payload, "OrderPlaced", 1));

        assertThat(persisted).extracting(Object::toString).containsExactly("Shipment[orderId=o-1, quantity=3]");
        assertThat(payload.size()).as("much smaller than the JSON").isEqualTo(5);
        assertThatThrownBy(() -> bean.onMessage(ReceivedMessages.of(payload, "OrderPlaced", 2)))
                .as("a version that the consumer does not have")
                .hasMessageStartingWith("OBX-0511");
    }

    private static List<String> shown() throws IOException {
        return BLOCK.matcher(Files.readString(PAGE))
                .results()
                .map(block -> block.group(2))
                .toList();
    }

    private OutboxPayload sent(String serializer) throws Exception {
        ClassLoader classes = compile(
                sender,
                serializer,
                "package org.example.shop; public record OrderPlaced(String orderId, int quantity) {}");
        Object event = classes.loadClass("org.example.shop.OrderPlaced")
                .getConstructor(String.class, int.class)
                .newInstance("o-1", 3);
        OutboxSerializer made = (OutboxSerializer) classes.loadClass("org.example.shop.AvroSerializer")
                .getConstructor()
                .newInstance();
        assertThatThrownBy(() -> made.serialize("another event")).isInstanceOf(IllegalArgumentException.class);
        return made.serialize(event);
    }

    private MessageListener bean(String bean) throws Exception {
        return (MessageListener) compile(
                        consumer,
                        bean,
                        "package org.example.shipping; record Shipment(String orderId, int quantity) {}")
                .loadClass("org.example.shipping.ShippingBean")
                .getConstructor()
                .newInstance();
    }

    private static ClassLoader compile(Path application, String... sources) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", application.toString()));
        for (String source : sources) {
            MatchResult name = Pattern.compile("(?:class|record) (\\w+)")
                    .matcher(source)
                    .results()
                    .findFirst()
                    .orElseThrow();
            arguments.add(Files.writeString(application.resolve(name.group(1) + ".java"), source)
                    .toString());
        }
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        return new URLClassLoader(new URL[] {application.toUri().toURL()}, AvroPageTest.class.getClassLoader());
    }

    private static void inject(Object bean, String name, Object value) throws ReflectiveOperationException {
        Field field = bean.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(bean, value);
    }
}
