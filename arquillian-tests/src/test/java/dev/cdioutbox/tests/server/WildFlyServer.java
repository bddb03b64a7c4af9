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
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The sample on a WildFly of its own, as a process that can be stopped and killed. Its messages and its transaction log outlive
 * the process.
 */
public final class WildFlyServer implements AutoCloseable {
    private static final Duration LONG = Duration.ofMinutes(4);
    // Ports of the distribution, to which an offset is added.
    private static final int HTTP = 8080;
    private static final int MANAGEMENT = 9990;
    private static final int[] PORTS = {HTTP, MANAGEMENT, 8443, 3528, 3529, 4712, 4713};

    private final Path folder;
    private final Path home;
    private final int portOffset;
    private final Map<String, String> environment = new TreeMap<>();
    private Process process;

    /** A server as it is unpacked. The files of the distribution are links, those that a server changes are copies. */
    public WildFlyServer(String name) {
        try {
            folder = LibertyServer.fresh(name);
            home = Files.createDirectory(folder.resolve("wildfly"));
            portOffset = freeOffset();
            Path distribution = Path.of(System.getProperty("wildfly.home"));
            link(distribution, home);
            for (String changed : List.of("modules", "standalone")) {
                Files.delete(home.resolve(changed));
            }
            link(distribution.resolve("modules"), Files.createDirectory(home.resolve("modules")));
            LibertyServer.copy(distribution.resolve("standalone"), home.resolve("standalone"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Below 20,000: so the ports are below those that Linux gives to clients, any of which may be taken before the start. */
    private static int freeOffset() {
        return IntStream.iterate(10_000, offset -> offset < 20_000, offset -> offset + 100)
                .filter(offset -> Arrays.stream(PORTS).allMatch(port -> isFree(port + offset)))
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

    private static void link(Path from, Path to) throws IOException {
        try (Stream<Path> entries = Files.list(from)) {
            for (Path entry : entries.toList()) {
                Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
            }
        }
    }

    /** Runs a script of the command line interface in this folder. */
    public WildFlyServer configure(Path script) {
        Process cli = run(script.getParent(), "jboss-cli.sh", "--file=" + script.getFileName());
        await("the end of " + script).atMost(LONG).until(() -> !cli.isAlive());
        if (cli.exitValue() != 0) {
            throw new IllegalStateException(script + " failed:\n" + log());
        }
        return this;
    }

    /** With a variable of the environment. */
    public WildFlyServer with(String variable, Object value) {
        environment.put(variable, String.valueOf(value));
        return this;
    }

    public WildFlyServer deploy(Path war) {
        try {
            Files.copy(war, home.resolve("standalone/deployments").resolve(war.getFileName()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Starts the process and waits until the application answers at this path. */
    public WildFlyServer start(String path) {
        process = run(
                folder,
                "standalone.sh",
                "--server-config=standalone-full.xml",
                "-Djboss.socket.binding.port-offset=" + portOffset);
        try {
            await(url(path) + ", log " + folder.resolve("console.log"))
                    .atMost(LONG)
                    .pollInterval(Duration.ofMillis(100))
                    .failFast("the server has ended", () -> !process.isAlive())
                    .until(() -> Http.answers(url(path)));
        } catch (RuntimeException e) {
            ThreadDumps.printAll("the start of WildFly");
            // The caller has no server to close.
            close();
            throw e;
        }
        return this;
    }

    private Process run(Path directory, String script, String... arguments) {
        List<String> command = new ArrayList<>(List.of(arguments));
        command.add(0, home.resolve("bin").resolve(script).toString());
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().put("JBOSS_HOME", home.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JAVA_OPTS", "-Xmx512m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        builder.environment().putAll(environment);
        builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("console.log").toFile()));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public URI url(String path) {
        return URI.create("http://localhost:" + (HTTP + portOffset) + path);
    }

    public URI management(String path) {
        return URI.create("http://localhost:" + (MANAGEMENT + portOffset) + path);
    }

    /** kill -9: no shutdown hook, no flush, nothing. The script that has started the JVM ends with it. */
    public void kill() {
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        await("the end of WildFly").atMost(LONG).until(() -> all.stream().noneMatch(ProcessHandle::isAlive));
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
