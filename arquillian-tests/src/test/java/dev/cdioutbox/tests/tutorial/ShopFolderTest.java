package dev.cdioutbox.tests.tutorial;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder docs/shop, which a reader may copy, has the files of the tutorial up to the chapter on PostgreSQL. */
class ShopFolderTest {
    private static final Path DOCS = Path.of("..", "docs");

    @Test
    void folderHasTheFilesOfTheTutorial(@TempDir Path written) throws IOException {
        Page.read(DOCS.resolve("tutorial.md")).before(TutorialIT.LAST_CHAPTERS).writeFiles(written);

        Map<String, String> folder = files(DOCS.resolve("shop"));
        folder.remove(".gitignore");
        assertThat(folder).isEqualTo(files(written));
    }

    /** The texts of the files by their paths, without the files that a build in the folder makes. */
    private static Map<String, String> files(Path folder) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String path = folder.relativize(file).toString();
                if (!path.startsWith("target")
                        && !path.contains("config/cdi-outbox")
                        && !path.contains("config/jdbc")) {
                    texts.put(path, Files.readString(file));
                }
            }
        }
        return texts;
    }
}
