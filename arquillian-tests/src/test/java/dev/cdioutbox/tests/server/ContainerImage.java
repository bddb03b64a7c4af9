package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The image that a Containerfile describes, as far as it can be had without its base: the files that the Containerfile
 * copies into the server's folder. What it runs, to fill a cache, is left out.
 */
public final class ContainerImage {
    /** The image of the sample. */
    public static final ContainerImage SAMPLE = new ContainerImage(Path.of("..", "sample-war"));

    /** The server's folder, which the base image names so. */
    static final String CONFIG = "/config/";

    private static final Pattern INSTRUCTION = Pattern.compile("(?m)^(?!#)(\\w+) (.*)$");
    private static final Set<String> UNDERSTOOD = Set.of("ARG", "FROM", "COPY", "RUN");
    private static final Pattern TAG = Pattern.compile("LIBERTY=(\\S+)");
    /** The base image runs the server as this user. */
    private static final Pattern COPIED = Pattern.compile("--chown=1001:0 (\\S+) (" + CONFIG + "\\S*)");

    private final Path context;
    private final String containerfile;

    private ContainerImage(Path context) {
        this.context = context;
        try {
            containerfile = Files.readString(context.resolve("Containerfile"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The tag of the base image. */
    String tag() {
        Matcher tag = TAG.matcher(containerfile);
        if (!tag.find()) {
            throw new IllegalStateException("the Containerfile has no tag");
        }
        return tag.group(1);
    }

    /** Copies the files of the image into a server's folder. */
    public void copyTo(Path config) {
        instructions("COPY").forEach(instruction -> {
            Matcher copied = COPIED.matcher(instruction);
            if (!copied.matches()) {
                throw new IllegalStateException("not understood: COPY " + instruction);
            }
            Path from = context.resolve(copied.group(1));
            Path to = config.resolve(copied.group(2).substring(CONFIG.length()));
            try {
                Files.createDirectories(to);
                LibertyServer.copy(from, Files.isDirectory(from) ? to : to.resolve(from.getFileName()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private List<String> instructions(String name) {
        List<MatchResult> all = INSTRUCTION.matcher(containerfile).results().toList();
        all.stream()
                .filter(instruction -> !UNDERSTOOD.contains(instruction.group(1)))
                .forEach(instruction -> {
                    throw new IllegalStateException("not understood: " + instruction.group());
                });
        return all.stream()
                .filter(instruction -> instruction.group(1).equals(name))
                .map(instruction -> instruction.group(2))
                .toList();
    }
}
