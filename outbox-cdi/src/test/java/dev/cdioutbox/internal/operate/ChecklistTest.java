package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.operate.ChecklistLine.Facts;
import dev.cdioutbox.operate.OutboxFinding;
import org.junit.jupiter.api.Test;

/** Guards that no line of the production checklist is called done that nobody has looked at. */
class ChecklistTest {

    @Test
    void pageHasTheLinesOfTheDoctor() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("..", "docs", "production.md")).stream()
                .filter(line -> line.startsWith("| "))
                .map(line -> line.split("\\|")[1].strip())
                .toList();

        assertThat(rows.subList(1, rows.size()))
                .containsExactlyElementsOf(Arrays.stream(ChecklistLine.values())
                        .map(ChecklistLine::text)
                        .toList());
    }

    @Test
    void findingShowsWhatIsNotDone() {
        List<OutboxFinding> found = List.of(OutboxCode.RIGHTS_MISSING.finding("shop", "GRANT"));

        assertThat(answer(ChecklistLine.RIGHTS, found, false))
                .isEqualTo(new ChecklistAnswer(
                        ChecklistLine.RIGHTS.text(), ChecklistAnswer.NOT_DONE, List.of("OBX-0331")));
        assertThat(answer(ChecklistLine.PREPARED_TRANSACTIONS, found, false).state())
                .isEqualTo(ChecklistAnswer.DONE);
    }

    /** H2 does not tell whether its commits are on the disk. */
    @Test
    void whatCannotBeSeenIsYours() {
        ChecklistLine durability = ChecklistLine.DATABASE_DURABILITY;
        assertThat(answer(durability, List.of(), true).state()).isEqualTo(ChecklistAnswer.DONE);
        assertThat(answer(durability, List.of(), false).state()).isEqualTo(ChecklistAnswer.YOURS);
        assertThat(answer(ChecklistLine.RETENTION, List.of(), false).state())
                .as("without a living node")
                .isEqualTo(ChecklistAnswer.YOURS);
        assertThat(ChecklistLine.answers(new Facts(TestConfig.of(), List.of(), List.of(), false, true)))
                .as("without the tables")
                .extracting(ChecklistAnswer::state)
                .containsOnly(ChecklistAnswer.YOURS);
    }

    @Test
    void configurationAnswersWhatItDecides() {
        assertThat(state(ChecklistLine.ROLES, "outbox.console.enabled", "true")).isEqualTo(ChecklistAnswer.YOURS);
        assertThat(state(ChecklistLine.ROLES, "outbox.console.enabled", "false"))
                .isEqualTo(ChecklistAnswer.DONE);
        assertThat(state(ChecklistLine.TRANSACTION_LOG, "outbox.dispatcher.delivery", "exactly-once"))
                .isEqualTo(ChecklistAnswer.YOURS);
        assertThat(state(ChecklistLine.TRANSACTION_LOG, "outbox.dispatcher.delivery", "at-least-once"))
                .isEqualTo(ChecklistAnswer.DONE);
        assertThat(state(ChecklistLine.TRANSACTION_LOG, "outbox.routes.*", "local"))
                .as("a handler, which may work on a second resource")
                .isEqualTo(ChecklistAnswer.YOURS);
        assertThat(state(ChecklistLine.DEAD_LETTERS, "outbox.dead-letters.dlq.jndi", "jms/dlq"))
                .isEqualTo(ChecklistAnswer.DONE);
        assertThat(state(ChecklistLine.RIGHTS, "outbox.dispatcher.datasource", "jdbc/other"))
                .isEqualTo(ChecklistAnswer.YOURS);
    }

    private static String state(ChecklistLine line, String... keysAndValues) {
        return of(line, new Facts(TestConfig.of(keysAndValues), List.of(), List.of(), true, false))
                .state();
    }

    private static ChecklistAnswer answer(ChecklistLine line, List<OutboxFinding> findings, boolean tellsDurability) {
        return of(line, new Facts(TestConfig.of(), findings, List.of(), true, tellsDurability));
    }

    private static ChecklistAnswer of(ChecklistLine line, Facts facts) {
        return ChecklistLine.answers(facts).get(line.ordinal());
    }
}
