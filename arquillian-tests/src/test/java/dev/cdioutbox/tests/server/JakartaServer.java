package dev.cdioutbox.tests.server;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * A server other than Open Liberty, as a process that can be stopped and killed. Its messages and its transaction log outlive
 * the process.
 */
public abstract class JakartaServer implements AutoCloseable {

    final Path folder;
    private final Map<String, String> environment = new TreeMap<>();
    private Process process;

    JakartaServer(String name) {
        try {
            folder = LibertyServer.fresh(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Configures the server as its page in docs/howto says, by a script in a folder that has what the script needs. */
    public abstract void configure(Path script);

    /** The URL of a path below the server's root. */
    public abstract URI url(String path);

    /** Deploys the application, or deploys it again. */
    public abstract void deploy(Path war);

    /** Takes the application away, while the server runs on. */
    public abstract void undeploy(Path war);

    abstract Process launch();

    /** With a variable of the environment. */
    public void with(String variable, Object value) {
        environment.put(variable, String.valueOf(value));
    }

    /** Starts the process and waits until this URL answers. */
    public void start(URI url) {
        process = launch();
        try {
            await(url + ", log " + folder.resolve("console.log"))
                    .atMost(Patience.LONG)
                    .pollInterval(Duration.ofMillis(100))
                    .failFast("the server has ended", () -> !process.isAlive())
                    .until(() -> Http.answers(url));
        } catch (RuntimeException e) {
            ThreadDumps.printAll("the start of the server");
            // The caller has no server to close.
            close();
            throw e;
        }
    }

    /** Runs a program of the server to its end. */
    void run(Path directory, Path program, String... arguments) {
        Process run = begin(directory, program, arguments);
        await("the end of " + List.of(arguments)).atMost(Patience.LONG).until(() -> !run.isAlive());
        if (run.exitValue() != 0) {
            throw new IllegalStateException(List.of(arguments) + " failed:\n" + log());
        }
    }

    Process begin(Path directory, Path program, String... arguments) {
        List<String> command = new ArrayList<>(List.of(arguments));
        command.add(0, program.toString());
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("console.log").toFile()));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A random one, since two JVMs run tests at the same time. Below 30,000: so the ports are below those that Linux gives to
     * clients, any of which may be taken before the start.
     */
    static int freeOffset(int... ports) {
        return ThreadLocalRandom.current()
                .ints(10_000, 20_000)
                .filter(offset -> Arrays.stream(ports).allMatch(port -> isFree(port + offset)))
                .findFirst()
                .orElseThrow();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    /** kill -9: no shutdown hook, no flush, nothing. The script that has started the JVM ends with it. */
    public void kill() {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        await("the end of the server").atMost(Patience.LONG).until(() -> all.stream()
                .noneMatch(ProcessHandle::isAlive));
    }

    public String log() {
        try {
            return Files.readString(folder.resolve("console.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (process != null && process.isAlive()) {
            kill();
        }
    }
}
