package dev.cdioutbox.tests.crash;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * The class path of the nodes: the tests' own, with each folder packed into a jar. A JVM shares only classes from jars;
 * with an archive of shared classes a node starts in half the time.
 */
final class ClassPath {
    private final Path home;
    private final String jars;

    ClassPath(Path home) {
        this.home = home;
        List<String> parts = new ArrayList<>();
        for (String part : System.getProperty("java.class.path").split(File.pathSeparator)) {
            Path path = Path.of(part);
            if (Files.isDirectory(path)) {
                parts.add(pack(path, home.resolve("classes" + parts.size() + ".jar"))
                        .toString());
            } else if (Files.exists(path)) {
                parts.add(part);
            }
        }
        jars = String.join(File.pathSeparator, parts);
    }

    String jars() {
        return jars;
    }

    /** The archive of shared classes. A node that starts without the archive writes it at its orderly end. */
    Path archive() {
        return home.resolve("classes.jsa");
    }

    private static Path pack(Path folder, Path jar) {
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> found = Files.walk(folder)) {
            for (Path path : found.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(folder.relativize(path).toString()));
                Files.copy(path, out);
                out.closeEntry();
            }
            return jar;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
