package dev.cdioutbox.kafka.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.OutboxCode;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.junit.jupiter.api.Test;

/** Kafka Connect has no Jakarta EE. */
class WithoutJakartaTest {

    /** With the jars that cdc.md names, and those of Connect. */
    @Test
    void transformationRunsInKafkaConnect() throws Exception {
        URL[] classes = Stream.of(
                        OutboxTransform.class,
                        WithoutJakartaTest.class,
                        OutboxMessage.class,
                        OutboxCode.class,
                        Transformation.class,
                        ConfigDef.class,
                        // That of the logger, which Kafka needs.
                        Class.forName("org.slf4j.Logger"))
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                .toArray(URL[]::new);
        try (URLClassLoader connect = new URLClassLoader(classes, ClassLoader.getPlatformClassLoader())) {
            assertThatThrownBy(() -> connect.loadClass("jakarta.json.Json")).isInstanceOf(ClassNotFoundException.class);
            Callable<?> work = (Callable<?>) connect.loadClass(Work.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();

            assertThat(work.call()).isEqualTo("orders with eu");
        }
    }

    /** Runs in the other class loader. */
    public static final class Work implements Callable<String> {
        @Override
        public String call() {
            OutboxTransform transform = new OutboxTransform();
            transform.configure(Map.of("application", "shop", "cloudevents", "true"));
            SourceRecord made = transform.apply(Rows.change(
                    "c",
                    Map.of(
                            "seq",
                            1L,
                            "schema_version",
                            1,
                            "message_id",
                            "00000000-0000-0000-0000-000000000001",
                            "destination",
                            "orders",
                            "payload",
                            "{}",
                            "event_type",
                            "OrderPlaced",
                            "headers",
                            "{\"region\":\"eu\"}",
                            "occurred_at",
                            "2026-11-21T10:00:00.123456Z",
                            "content_type",
                            "application/json",
                            "transport",
                            "cdc")));
            byte[] region = (byte[]) made.headers().lastWithName("region").value();
            return made.topic() + " with " + new String(region);
        }
    }
}
