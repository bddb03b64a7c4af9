package dev.cdioutbox.kafka;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import org.apache.kafka.connect.cli.ConnectStandalone;

/** Kafka Connect in a process of its own, which can be killed. */
public final class ConnectProcess implements AutoCloseable {
    private final Path folder;
    private final String classPath;
    private final Properties worker = new Properties();
    private final int port;
    private final List<String> connectors;
    private Process process;

    /**
     * @param connectors the files of the connectors
     */
    public ConnectProcess(Path folder, String classPath, Map<String, String> worker, Path... connectors)
            throws IOException {
        this.folder = folder;
        this.classPath = classPath;
        this.connectors = Arrays.stream(connectors).map(Path::toString).toList();
        try (ServerSocket any = new ServerSocket(0)) {
            port = any.getLocalPort();
        }
        this.worker.putAll(Map.of(
                "listeners", "http://127.0.0.1:" + port,
                "offset.storage.file.filename", folder.resolve("offsets").toString(),
                "plugin.discovery", "service_load",
                "key.converter", "org.apache.kafka.connect.storage.StringConverter",
                "value.converter", "org.apache.kafka.connect.storage.StringConverter"));
        this.worker.putAll(worker);
    }

    /** Runs Connect until the process that started it has ended. */
    public static void main(String[] arguments) {
        Thread parent = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    // Nothing is written; the stream ends with the other process.
                }
            } catch (IOException e) {
                e.printStackTrace();
            }
            Runtime.getRuntime().halt(1);
        });
        parent.setDaemon(true);
        parent.start();
        ConnectStandalone.main(arguments);
    }

    public void start() throws IOException {
        Path file = folder.resolve("worker.properties");
        try (var out = Files.newBufferedWriter(file)) {
            worker.store(out, null);
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                classPath,
                ConnectProcess.class.getName(),
                file.toString()));
        command.addAll(connectors);
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("console.log").toFile()))
                .start();
    }

    /** Sends a request with an empty body to Connect's REST API. */
    public void put(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .PUT(HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IOException(path + ": " + answer.statusCode() + " " + answer.body());
        }
    }

    /** kill -9 */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        if (process != null) {
            kill();
        }
    }
}
