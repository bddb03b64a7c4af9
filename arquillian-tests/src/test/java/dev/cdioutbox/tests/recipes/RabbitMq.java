package dev.cdioutbox.tests.recipes;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Assumptions;

/** A RabbitMQ server from Debian's package, on loopback addresses. It ends with this JVM, even if the JVM is killed. */
final class RabbitMq implements AutoCloseable {
    private static final Path FOLDER =
            Path.of("target", "rabbitmq").toAbsolutePath().normalize();

    /** In bytes. */
    static final int LARGEST_MESSAGE = 1_000_000;

    private static final String READY = "Server startup complete";

    /** The port mapper is a child too: otherwise Erlang would leave one behind. */
    private static final String RUN = """
            epmd -port "$ERL_EPMD_PORT" -address 127.0.0.1 &
            mapper=$!
            rabbitmq-server < /dev/null &
            cat > /dev/null
            kill -9 "$(cat "$RABBITMQ_PID_FILE")" "$mapper"
            wait""";

    private final Path root;
    private final Path data;
    private final int port = freePort();
    private Process shell;

    private RabbitMq(Path root, Path data) {
        this.root = root;
        this.data = data;
    }

    /** A new server. Skips the test if there is no such package, or no network. */
    static RabbitMq start() throws IOException, InterruptedException {
        RabbitMq server = new RabbitMq(fetched(), Files.createTempDirectory(FOLDER, "data"));
        server.run();
        return server;
    }

    private static Path fetched() throws IOException, InterruptedException {
        Path root = FOLDER.resolve("root");
        if (Files.notExists(root)) {
            Files.createDirectories(FOLDER);
            Path log = FOLDER.resolve("fetch.log");
            Process fetch = new ProcessBuilder("sh", "-s", FOLDER.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            try (InputStream script = RabbitMq.class.getResourceAsStream("fetch-rabbitmq.sh")) {
                script.transferTo(fetch.getOutputStream());
            }
            fetch.getOutputStream().close();
            if (!fetch.waitFor(2, TimeUnit.MINUTES) || fetch.exitValue() != 0) {
                fetch.destroyForcibly();
                Assumptions.abort("Debian's package of RabbitMQ could not be had; see " + log);
            }
        }
        return root;
    }

    private void run() throws IOException {
        Path log = data.resolve("server.log");
        Files.deleteIfExists(log);
        Path config = Files.writeString(data.resolve("rabbitmq.conf"), "max_message_size = " + LARGEST_MESSAGE);
        ProcessBuilder server =
                new ProcessBuilder("sh", "-c", RUN).redirectErrorStream(true).redirectOutput(log.toFile());
        Map<String, String> settings = server.environment();
        settings.put(
                "PATH",
                root.resolve("usr/bin") + ":" + root.resolve("usr/lib/rabbitmq/bin") + ":" + settings.get("PATH"));
        settings.put("HOME", data.toString());
        settings.put("ERL_EPMD_PORT", String.valueOf(freePort()));
        settings.put("ERL_EPMD_ADDRESS", "127.0.0.1");
        settings.put("RABBITMQ_NODENAME", "test@localhost");
        settings.put("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1");
        settings.put("RABBITMQ_NODE_PORT", String.valueOf(port));
        settings.put("RABBITMQ_DIST_PORT", String.valueOf(freePort()));
        settings.put("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", "-kernel inet_dist_use_interface {127,0,0,1}");
        settings.put("RABBITMQ_MNESIA_BASE", data.resolve("mnesia").toString());
        settings.put("RABBITMQ_PID_FILE", data.resolve("pid").toString());
        settings.put("RABBITMQ_LOGS", "-");
        settings.put("RABBITMQ_CONF_ENV_FILE", data.resolve("none").toString());
        settings.put("RABBITMQ_CONFIG_FILE", config.toString());
        settings.put("RABBITMQ_ENABLED_PLUGINS_FILE", data.resolve("plugins").toString());
        shell = server.start();
        await().atMost(Duration.ofMinutes(2)).until(() -> Files.readString(log).contains(READY) || !shell.isAlive());
        if (!shell.isAlive()) {
            throw new IOException("RabbitMQ did not start; see " + log);
        }
    }

    /** Kills the server, and starts it again with its data. */
    void restart() throws IOException {
        close();
        run();
    }

    URI uri() {
        return URI.create("amqp://guest:guest@127.0.0.1:" + port);
    }

    @Override
    public void close() throws IOException {
        shell.getOutputStream().close();
        shell.onExit().join();
    }

    private static int freePort() {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
