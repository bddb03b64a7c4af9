package dev.cdioutbox.tests.tutorial;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/**
 * Maven as a process of its own in a folder, as a user starts it.
 *
 * <p>Two things differ from a user's Maven. The process uses the runtime that this build has unpacked, to save time.
 * Its local repository has links into this build's repository, and this project's artifacts as {@code mvn install}
 * would put them there. So the process fetches nothing new, and installs nothing for others.
 */
final class OrdinaryMaven implements AutoCloseable {
    private static final String PROJECT = "cdioutbox";
    /** The plugin's default. No other test has a server of this name. */
    private static final String SERVER = "defaultServer";

    /** Beside other builds, a server has needed more than four minutes. If Maven ends, nobody waits. */
    private static final Duration LONG = Duration.ofMinutes(20);

    private final Path log;
    private final Path serverLog;
    private final Process process;

    private OrdinaryMaven(Path log, Path serverLog, Process process) {
        this.log = log;
        this.serverLog = serverLog;
        this.process = process;
    }

    /** Starts Maven with a {@link #prepareRepository prepared} local repository. */
    static OrdinaryMaven start(Path folder, Path repository, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("maven.home"), "bin", "mvn").toString());
        command.addAll(List.of("--batch-mode", "--no-transfer-progress"));
        if (System.getProperty("maven.mode").equals("offline=true")) {
            command.add("--offline");
        }
        command.add("-Dmaven.repo.local=" + repository);
        command.add("-DinstallDirectory=" + System.getProperty("liberty.home"));
        Path usr = folder.resolve("target/liberty-usr");
        command.add("-DuserDirectory=" + usr);
        command.addAll(List.of(arguments));
        Path log = folder.resolveSibling("maven.log");
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().remove("MAVEN_OPTS");
        builder.redirectErrorStream(true).redirectOutput(log.toFile());
        Path serverLog = usr.resolve("servers").resolve(SERVER).resolve("logs/messages.log");
        return new OrdinaryMaven(log, serverLog, builder.start());
    }

    /** Creates a local repository with this project's artifacts and links to all others that this build has. */
    static void prepareRepository(Path repository) throws IOException {
        Path ofThisBuild = Path.of(System.getProperty("maven.repository"));
        link(ofThisBuild, repository, Set.of("dev"));
        link(ofThisBuild.resolve("dev"), repository.resolve("dev"), Set.of(PROJECT));
        Path root = Path.of(System.getProperty("project.root"));
        String version = System.getProperty("project.version");
        for (String artifact : List.of(
                "cdi-outbox",
                "outbox-api",
                "outbox-engine",
                "outbox-cdi",
                "outbox-console",
                "outbox-jms",
                "outbox-kafka",
                "liberty-config")) {
            Path module = artifact.equals("cdi-outbox") ? root : root.resolve(artifact);
            String name = artifact + "-" + version;
            Path folder = Files.createDirectories(
                    repository.resolve("dev").resolve(PROJECT).resolve(artifact).resolve(version));
            Files.copy(module.resolve("pom.xml"), folder.resolve(name + ".pom"));
            for (String type : List.of(".jar", ".zip", "-testing.jar", "-compliance.jar")) {
                Path built = module.resolve("target").resolve(name + type);
                if (Files.exists(built)) {
                    Files.copy(built, folder.resolve(name + type));
                }
            }
        }
    }

    private static void link(Path from, Path to, Set<String> except) throws IOException {
        Files.createDirectories(to);
        if (Files.exists(from)) {
            try (Stream<Path> entries = Files.list(from)) {
                for (Path entry : entries.toList()) {
                    if (!except.contains(entry.getFileName().toString())) {
                        Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
                    }
                }
            }
        }
    }

    /** Waits for a condition while Maven runs. */
    void await(String what, BooleanSupplier happened) {
        try {
            Awaitility.await(what)
                    .atMost(LONG)
                    .pollInterval(Duration.ofMillis(200))
                    .failFast("Maven has ended", () -> !process.isAlive())
                    .until(happened::getAsBoolean);
        } catch (RuntimeException e) {
            throw new AssertionError("not in time, or Maven has ended: " + what + logs(), e);
        }
    }

    /** Waits for Maven's end, and throws unless it is a success. */
    void awaitSuccess() {
        Awaitility.await("the end of Maven").atMost(LONG).until(() -> !process.isAlive());
        if (process.exitValue() != 0) {
            throw new AssertionError("Maven failed" + logs());
        }
    }

    /** Ends Maven and its server like Ctrl+C: a terminal signals all processes of the command. */
    void interrupt() {
        List<ProcessHandle> all = processes();
        all.forEach(ProcessHandle::destroy);
        Awaitility.await("the end of Maven and of its server").atMost(LONG).until(() -> all.stream()
                .noneMatch(ProcessHandle::isAlive));
    }

    private List<ProcessHandle> processes() {
        return Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
    }

    /** The running servers, in the foreground or as a daemon. */
    static List<ProcessHandle> servers() {
        String runtime = Path.of(System.getProperty("liberty.home")).normalize().toString();
        return ProcessHandle.allProcesses()
                .filter(one -> one.info()
                        .commandLine()
                        .filter(line -> line.contains(runtime) && line.contains("ws-server.jar " + SERVER))
                        .isPresent())
                .toList();
    }

    /** Maven's output, and with {@code liberty:run} the server's. */
    String log() {
        return read(log);
    }

    private String logs() {
        String ofServer = Files.exists(serverLog) ? read(serverLog) : "none";
        return "\n\nIts output:\n" + log() + "\n\nThe server's log:\n" + ofServer;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills all processes, so that none outlives a failed test. */
    @Override
    public void close() {
        processes().forEach(ProcessHandle::destroyForcibly);
        servers().forEach(ProcessHandle::destroyForcibly);
    }
}
