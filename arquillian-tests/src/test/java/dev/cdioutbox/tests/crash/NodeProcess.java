package dev.cdioutbox.tests.crash;

import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The controller's view of a node: a process that the controller starts, stops at a point, suspends and kills. Its
 * transaction log outlives the process.
 */
final class NodeProcess implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(90);

    private final Path home;
    private final ClassPath classPath;
    private final AccountBook book;
    private final Map<String, String> properties = new TreeMap<>();
    private Path transactionLog;
    private Map<String, String> environment = Map.of();
    private Process process;
    private volatile boolean ready;
    private volatile Point at;

    /** @param properties the settings of {@link NodeMain} and the configuration of the outbox */
    NodeProcess(String name, Path home, ClassPath classPath, AccountBook book, Map<String, String> properties) {
        this.home = home;
        this.classPath = classPath;
        this.book = book;
        this.properties.putAll(properties);
        nameIt(name);
    }

    /** Gives the node a name and a transaction log of its own. A renamed node loses its old log. */
    void nameIt(String name) {
        properties.put("harness.node", name);
        transactionLog = home.resolve("log-" + name);
        properties.put("harness.log", transactionLog.toString());
    }

    /** Sets the environment of the process; libfaketime reads the node's clock from it. */
    void with(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    String name() {
        return properties.get("harness.node");
    }

    void start() {
        properties.remove("harness.arm");
        launch();
    }

    /** Starts the process with an armed point, which the node may reach before it is ready. */
    void startArmed(Point point, int occurrence) {
        properties.put("harness.arm", point + " " + occurrence);
        launch();
    }

    private void launch() {
        ready = false;
        at = null;
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx160m",
                // The process lives for minutes, so C1 costs less than both compilers.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xlog:disable",
                Files.exists(classPath.archive())
                        ? "-XX:SharedArchiveFile=" + classPath.archive()
                        : "-XX:ArchiveClassesAtExit=" + classPath.archive()));
        properties.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(List.of("-cp", classPath.jars(), NodeMain.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.redirectError(ProcessBuilder.Redirect.appendTo(console().toFile()));
        try {
            Files.createDirectories(transactionLog);
            process = builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Process reported = process;
        Thread reader = new Thread(() -> read(reported), "report of " + name());
        reader.setDaemon(true);
        reader.start();
    }

    private Path console() {
        return home.resolve("console.log");
    }

    private void read(Process reported) {
        try (BufferedReader lines = reported.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ");
                switch (words[0]) {
                    case "READY" -> ready = true;
                    case "AT" -> at = Point.valueOf(words[1]);
                    case "C" -> book.committed(words[1]);
                    case "R" -> book.rolledBack(words[1]);
                    default -> throw new IllegalArgumentException(line);
                }
            }
        } catch (IOException killed) {
            // A kill may cut off the last line.
        }
    }

    void awaitReady() {
        await("node " + name() + " is ready, log " + console()).atMost(START).until(() -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("Node " + name() + " ended while it started. See " + console() + ".");
            }
            return ready;
        });
    }

    boolean isReady() {
        return ready && process.isAlive();
    }

    boolean isAlive() {
        return process != null && process.isAlive();
    }

    void arm(Point point, int occurrence) {
        at = null;
        tell("ARM " + point + " " + occurrence);
    }

    /** @return whether the node has reached the point in time */
    boolean reaches(Point point, Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        while (at != point && process.isAlive() && System.nanoTime() < end) {
            pause(2);
        }
        return at == point;
    }

    void slowDown(Duration eachSend) {
        tell("SLOW " + eachSend.toMillis());
    }

    void go() {
        tell("GO");
    }

    /** Makes the operator replay up to 100 messages, once. */
    void replayMany() {
        tell("REPLAY");
    }

    void quiet() {
        tell("QUIET");
    }

    private void tell(String line) {
        try {
            BufferedWriter out = process.outputWriter(StandardCharsets.UTF_8);
            out.write(line);
            out.newLine();
            out.flush();
        } catch (IOException e) {
            throw new IllegalStateException("Node " + name() + " does not listen. See " + console() + ".", e);
        }
    }

    /** kill -9 */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
        ready = false;
    }

    void suspend() {
        Signals.send("-STOP", process.pid());
    }

    void resume() {
        Signals.send("-CONT", process.pid());
    }

    void stop() {
        tell("STOP");
        process.onExit().join();
        ready = false;
    }

    static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        if (process != null && process.isAlive()) {
            kill();
        }
    }
}
