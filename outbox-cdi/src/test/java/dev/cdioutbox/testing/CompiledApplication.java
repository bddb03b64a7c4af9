package dev.cdioutbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** The classes of an application, compiled from what a test shows. */
final class CompiledApplication {
    private static final Pattern NAME = Pattern.compile("(?:class|record|interface|enum) (\\w+)");

    private static final String HEAD = """
            package org.example;
            import dev.cdioutbox.*;
            import dev.cdioutbox.spi.*;
            import jakarta.enterprise.context.*;
            import jakarta.enterprise.event.*;
            import jakarta.enterprise.inject.*;
            import jakarta.inject.Inject;
            import jakarta.json.bind.*;
            import jakarta.json.bind.annotation.*;
            import java.math.*;
            import java.time.*;
            import java.util.*;
            """;

    private final URLClassLoader loader;
    private final String first;

    /** Each has its own loader, as each run of a build has. */
    private CompiledApplication(Path classes, String first) throws IOException {
        this.loader = new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
        this.first = first;
    }

    /** @param types public types, without their package and imports */
    static CompiledApplication inAFolder(Path parent, String... types) throws IOException {
        return new CompiledApplication(compiled(parent, types), name(types[0]));
    }

    /** @param types as for a folder */
    static CompiledApplication inAJar(Path parent, String... types) throws IOException {
        Path classes = compiled(parent, types);
        Path jar = parent.resolve("application.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
        return new CompiledApplication(jar, name(types[0]));
    }

    private static Path compiled(Path parent, String... types) throws IOException {
        Path classes = Files.createTempDirectory(parent, "classes");
        StringWriter complaints = new StringWriter();
        boolean compiles = ToolProvider.getSystemJavaCompiler()
                .getTask(
                        complaints,
                        null,
                        null,
                        List.of("-proc:none", "-d", classes.toString()),
                        null,
                        Stream.of(types).map(Source::new).toList())
                .call();
        assertThat(compiles).as(complaints.toString()).isTrue();
        return classes;
    }

    EventContracts contracts() {
        return EventContracts.of(load(first));
    }

    Class<?> load(String type) {
        try {
            return loader.loadClass("org.example." + type);
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** An object of a record or class with this one constructor. */
    Object create(String type, Object... arguments) {
        try {
            return load(type).getConstructors()[0].newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static String name(String source) {
        Matcher name = NAME.matcher(source);
        assertThat(name.find()).as(source).isTrue();
        return name.group(1);
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///" + name(text) + ".java"), JavaFileObject.Kind.SOURCE);
            this.text = HEAD + text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
