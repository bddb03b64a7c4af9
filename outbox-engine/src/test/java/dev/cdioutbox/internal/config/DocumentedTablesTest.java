package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

/** Guards that no cell of a table is a paragraph. */
class DocumentedTablesTest {
    private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```");
    private static final Pattern TARGET_OF_A_LINK = Pattern.compile("\\]\\([^)]*\\)");
    private static final int MOST_WORDS = 35;

    /** A longer one is easier to read below the table, or as a row more. */
    @Test
    void cellHasAtMostSoManyWords() throws IOException {
        Set<String> tooLong = new TreeSet<>();
        for (Path page : Documents.current()) {
            CODE_BLOCK
                    .matcher(Files.readString(page))
                    .replaceAll("")
                    .lines()
                    .filter(line -> line.startsWith("| "))
                    .flatMap(row -> Pattern.compile(" \\| ").splitAsStream(row))
                    .filter(cell -> words(cell) > MOST_WORDS)
                    .forEach(cell -> tooLong.add(Documents.ROOT.relativize(page) + ": " + cell));
        }
        assertThat(tooLong).isEmpty();
    }

    private static int words(String cell) {
        return TARGET_OF_A_LINK
                .matcher(cell)
                .replaceAll("]")
                .replaceAll("^\\| | \\|$", "")
                .strip()
                .split("\\s+")
                .length;
    }
}
