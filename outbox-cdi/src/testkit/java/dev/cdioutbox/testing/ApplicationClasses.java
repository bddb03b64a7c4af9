package dev.cdioutbox.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxEvent;

/** All classes in some jars or folders of classes. Those of tests are in another folder. */
final class ApplicationClasses {
    private static final String SUFFIX = ".class";

    /** The contents of the files, by their classes. */
    private final Map<Class<?>, String> contents = new TreeMap<>(Comparator.comparing(Class::getName));

    /**
     * Loads what is in the same place as one of these classes.
     *
     * @throws IllegalArgumentException if one of them is in no jar or folder, as the JDK's are
     */
    static ApplicationClasses besides(Class<?>... some) {
        ApplicationClasses all = new ApplicationClasses();
        Stream.of(some).forEach(all::add);
        return all;
    }

    private void add(Class<?> one) {
        CodeSource source = one.getProtectionDomain().getCodeSource();
        if (source == null) {
            throw new IllegalArgumentException(
                    one.getName() + " is in no jar and no folder of classes. Name a class of the application.");
        }
        try {
            Path place = Path.of(source.getLocation().toURI());
            if (Files.isDirectory(place)) {
                addAll(place, one.getClassLoader());
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(place)) {
                    addAll(jar.getPath("/"), one.getClassLoader());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(source.toString(), e);
        }
    }

    private void addAll(Path root, ClassLoader loader) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file :
                    (Iterable<Path>) files.filter(each -> each.toString().endsWith(SUFFIX))::iterator) {
                String path = root.relativize(file).toString();
                String name = path.substring(0, path.length() - SUFFIX.length())
                        .replace(root.getFileSystem().getSeparator(), ".");
                // A descriptor of a module or package, or a class for a newer Java in META-INF.
                if (!name.contains("-")) {
                    add(name, loader, Files.readString(file, StandardCharsets.ISO_8859_1));
                }
            }
        }
    }

    private void add(String name, ClassLoader loader, String content) {
        try {
            contents.put(Class.forName(name, false, loader), content);
        } catch (ClassNotFoundException | LinkageError absent) {
            // A jar may have classes for libraries that are not there. What is no event does not matter.
            if (mentions(content, OutboxEvent.class)) {
                throw new IllegalStateException(
                        name + " fires or describes events, but cannot be loaded: " + absent, absent);
            }
        }
    }

    /** The classes that objects may have. */
    Stream<Class<?>> concrete() {
        return contents.keySet().stream().filter(type -> !Modifier.isAbstract(type.getModifiers()));
    }

    /** The classes that objects of a declared type may have; none for a type from elsewhere. */
    List<Class<?>> concrete(Class<?> declared) {
        return contents.containsKey(declared)
                ? concrete().filter(declared::isAssignableFrom).toList()
                : List.of();
    }

    /** The classes whose files have the name of this type. */
    List<Class<?>> naming(Class<?> type) {
        return contents.entrySet().stream()
                .filter(file -> mentions(file.getValue(), type))
                .<Class<?>>map(Map.Entry::getKey)
                .toList();
    }

    private static boolean mentions(String content, Class<?> type) {
        return content.contains(type.getName().replace('.', '/'));
    }
}
