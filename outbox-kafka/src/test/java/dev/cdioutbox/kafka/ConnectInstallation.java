package dev.cdioutbox.kafka;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.kafka.connect.OutboxTransform;

/**
 * Kafka Connect as cdc.md installs it: a folder of the plugin path has Debezium's connector and three jars of the outbox, and the
 * worker has neither them nor Jakarta EE.
 *
 * @param classPath that of the worker
 * @param plugins the plugin path
 */
record ConnectInstallation(String classPath, Path plugins) {
    /** What Debezium's archive contains. */
    private static final Pattern CONNECTOR = Pattern.compile("(debezium-|postgresql-\\d|protobuf-java-).*\\.jar");

    /** The class path of the tests has all APIs, and a worker has those that its REST API needs. */
    private static final Pattern JAKARTA = Pattern.compile(
            "(jakarta\\.(?!activation|annotation|inject|servlet-api|validation|ws\\.rs|xml\\.bind).*|parsson.*|yasson.*)\\.jar");

    private static final List<Class<?>> OUTBOX = List.of(OutboxTransform.class, OutboxCode.class, OutboxMessage.class);

    static ConnectInstallation in(Path folder) throws IOException {
        Path plugins = folder.resolve("plugins");
        Path outbox = Files.createDirectories(plugins.resolve("outbox"));
        List<Path> all = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .toList();
        for (Path jar : all.stream().filter(path -> isNamed(CONNECTOR, path)).toList()) {
            Files.copy(jar, outbox.resolve(jar.getFileName()));
        }
        for (Class<?> type : OUTBOX) {
            pack(locationOf(type), outbox.resolve(type.getSimpleName() + ".jar"));
        }
        String worker = all.stream()
                .filter(path -> !isNamed(CONNECTOR, path) && !isNamed(JAKARTA, path) && !isOfOutbox(path))
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
        return new ConnectInstallation(worker, plugins);
    }

    private static boolean isNamed(Pattern name, Path path) {
        return name.matcher(path.getFileName().toString()).matches();
    }

    /** The classes of a module of the outbox, in a folder or a jar. The test classes start the worker. */
    private static boolean isOfOutbox(Path path) {
        return path.endsWith("target/classes")
                || path.getFileName().toString().startsWith("outbox-")
                || path.endsWith("test-classes") && !path.equals(locationOf(ConnectInstallation.class));
    }

    private static Path locationOf(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath());
    }

    /** The modules have no jars yet while the tests of one of them run. */
    private static void pack(Path classes, Path jar) throws IOException {
        if (Files.isRegularFile(classes)) {
            Files.copy(classes, jar);
            return;
        }
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> files = Files.walk(classes).filter(Files::isRegularFile)) {
            for (Path each : files.toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(each).toString().replace(File.separatorChar, '/')));
                Files.copy(each, out);
            }
        }
    }
}
