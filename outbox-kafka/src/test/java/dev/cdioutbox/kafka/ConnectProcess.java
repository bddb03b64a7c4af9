package dev.cdioutbox.kafka;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;

import org.apache.kafka.connect.cli.ConnectDistributed;
import org.apache.kafka.connect.cli.ConnectStandalone;

/** Kafka Connect in a separate process, which can be stopped, killed and started again. It ends with the tests. */
public final class ConnectProcess implements AutoCloseable {
    private final Path folder;
    private final String classPath;
    private final Properties worker = new Properties();
    private final int port;
    private final List<String> connectors;
    private Process process;

    /**
     * @param worker settings of the worker, over those that suit all tests
     * @param connectors the files of the connectors of a standalone worker; none for a distributed one
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
                "plugin.discovery", "service_load",
                "key.converter", "org.apache.kafka.connect.storage.StringConverter",
                "value.converter", "org.apache.kafka.connect.storage.StringConverter"));
        if (connectors.length > 0) {
            this.worker.put(
                    "offset.storage.file.filename", folder.resolve("offsets").toString());
        }
        this.worker.putAll(worker);
    }

    /** @param arguments the file of the worker's settings, and those of the connectors */
    public static void main(String[] arguments) {
        Thread parent = new Thread(ConnectProcess::endWithParent);
        parent.setDaemon(true);
        parent.start();
        if (arguments.length == 1) {
            ConnectDistributed.main(arguments);
        } else {
            ConnectStandalone.main(arguments);
        }
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // The tests write nothing; the stream ends with them.
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
        Runtime.getRuntime().halt(1);
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

    /** Gets from the worker's REST API. */
    public String get(String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString())
                .body();
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    public void put(String path, String json) throws InterruptedException {
        send("PUT", path, json);
    }

    /** Sends a request to the worker's REST API, and repeats it until the worker is ready. */
    public void send(String method, String path, String json) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri(path))
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(json))
                .build();
        while (!isAccepted(request)) {
            if (!process.isAlive()) {
                throw new IllegalStateException("Kafka Connect has ended. See " + folder.resolve("console.log"));
            }
        }
    }

    private static boolean isAccepted(HttpRequest request) throws InterruptedException {
        try {
            HttpResponse<String> answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
            if (answer.statusCode() == 400) {
                throw new IllegalStateException(answer.body());
            }
            return answer.statusCode() < 300;
        } catch (IOException notYet) {
            return false;
        }
    }

    /** kill -9 */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    public void stop() {
        process.destroy();
        process.onExit().join();
    }

    @Override
    public void close() {
        if (process != null) {
            kill();
        }
    }
}
