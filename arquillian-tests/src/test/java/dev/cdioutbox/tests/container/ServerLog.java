package dev.cdioutbox.tests.container;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The part of this server's log that was written after the construction. */
public final class ServerLog {
    private final Path file = Path.of(System.getProperty("server.output.dir"), "logs", "messages.log");
    private final int before = text().length();

    /** The lines that contain all these words. */
    public List<String> lines(String... words) {
        return text().substring(before)
                .lines()
                .filter(line -> List.of(words).stream().allMatch(line::contains))
                .toList();
    }

    /** The lines of the whole log that contain this text. */
    public static List<String> whole(String part) {
        ServerLog log = new ServerLog();
        return log.text().lines().filter(line -> line.contains(part)).toList();
    }

    private String text() {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
