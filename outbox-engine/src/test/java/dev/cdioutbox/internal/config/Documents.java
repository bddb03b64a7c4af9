package dev.cdioutbox.internal.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The pages of the project, read from their place in the repository. */
final class Documents {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Path DECISIONS = ROOT.resolve("docs/decisions");

    private Documents() {}

    /** All pages: those of the top folder, and those below docs. */
    static Set<Path> all() throws IOException {
        Set<Path> pages = new TreeSet<>();
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> below = Files.walk(ROOT.resolve("docs"))) {
            Stream.concat(top, below)
                    .filter(page -> page.toString().endsWith(".md"))
                    .forEach(pages::add);
        }
        return pages;
    }

    /**
     * The pages that describe the present version. A changelog and a decision record may name something that has been
     * removed since.
     */
    static Set<Path> current() throws IOException {
        Set<Path> pages = all();
        pages.removeIf(page -> page.startsWith(DECISIONS) || page.endsWith("CHANGELOG.md"));
        return pages;
    }
}
