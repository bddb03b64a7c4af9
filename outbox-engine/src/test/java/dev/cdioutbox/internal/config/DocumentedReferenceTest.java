package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jakarta.persistence.Column;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.persistence.OutboxMessageView;
import org.junit.jupiter.api.Test;

/** Guards that the tables of the reference have a row for each thing that there is, and for nothing else. */
class DocumentedReferenceTest {
    private static final String PAGE = "docs/reference.md";
    private static final Path RULES =
            Documents.ROOT.resolve("liberty-config/src/main/cdi-outbox/monitoring/prometheus-rules.yml");
    private static final Path OPEN_API = Documents.ROOT.resolve(
            "outbox-console/src/main/resources/dev/cdioutbox/internal/operate/console/page/openapi.yaml");
    private static final Pattern RULE = Pattern.compile(
            "(?s)- alert: (\\w+)\n(?:(?!- alert:).)*?severity: (\\w+)\n +annotations:\n +runbook_url: docs/\\S+\\.md#\\S+\n");
    private static final Pattern LIST_MESSAGES = Pattern.compile("(?s)operationId: listMessages.*?responses:");
    private static final Pattern PARAMETER = Pattern.compile("/parameters/(\\w+)");

    /** These choose a page or an outbox, and are described elsewhere. */
    private static final List<String> NO_FILTERS = List.of("below", "limit", "outbox");

    /** Each has a section as its runbook; DocumentedNamesTest follows it. */
    @Test
    void alertsAreThoseOfTheRules() throws IOException {
        List<List<String>> rules = RULE.matcher(Files.readString(RULES))
                .results()
                .map(rule -> List.of(rule.group(1), rule.group(2)))
                .toList();

        assertThat(rows(PAGE, "## Alerts").map(row -> row.subList(0, 2))).containsExactlyElementsOf(rules);
    }

    @Test
    void statusesHaveTheirLegalOperations() throws IOException {
        Stream<List<String>> expected =
                Arrays.stream(OutboxStatus.values()).map(status -> List.of(status.name(), operations(status)));

        assertThat(rows(PAGE, "## Statuses").map(row -> List.of(row.get(0), row.get(4))))
                .containsExactlyInAnyOrderElementsOf(expected.toList());
    }

    private static String operations(OutboxStatus status) {
        return String.join(
                ", ",
                Arrays.stream(MessageOperation.values())
                        .filter(operation -> operation.from().contains(status))
                        .map(MessageOperation::action)
                        .toList());
    }

    @Test
    void columnsAreThoseOfTheView() throws IOException {
        Stream<String> columns = Arrays.stream(OutboxMessageView.class.getDeclaredFields())
                .map(field -> field.getAnnotation(Column.class))
                .filter(Objects::nonNull)
                .map(Column::name);

        assertThat(rows(PAGE, "## The view outbox_message_view").map(row -> row.get(0)))
                .containsExactlyElementsOf(columns.toList());
    }

    @Test
    void filtersAreThoseOfTheApi() throws IOException {
        String operation = LIST_MESSAGES
                .matcher(Files.readString(OPEN_API))
                .results()
                .findFirst()
                .orElseThrow()
                .group();
        Stream<String> filters = PARAMETER
                .matcher(operation)
                .results()
                .map(parameter -> parameter.group(1))
                .filter(parameter -> !NO_FILTERS.contains(parameter));

        assertThat(rows("docs/api.md", "## Filters").map(row -> row.get(0)))
                .containsExactlyElementsOf(filters.toList());
    }

    /** The cells of a table below a heading, without the quotes of code. */
    private static Stream<List<String>> rows(String page, String heading) throws IOException {
        String text = Files.readString(Documents.ROOT.resolve(page));
        String section = text.substring(text.indexOf(heading + "\n") + heading.length());
        return section.substring(0, (section + "\n## ").indexOf("\n## "))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> Arrays.stream(line.substring(2).split(" \\| "))
                        .map(cell -> cell.replace("`", "").replaceFirst(" \\|$", ""))
                        .toList());
    }
}
