package dev.cdioutbox.internal.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import dev.cdioutbox.internal.store.StatementCatalog;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Guards that the statements follow the constants: a new column of a message needs one new constant. */
class MessageColumnTest {
    private static final Set<MessageColumn> UNREAD = EnumSet.of(
            MessageColumn.APPLICATION, MessageColumn.PARTITION_ID, MessageColumn.TRANSPORT, MessageColumn.AVAILABLE_AT);
    private static final Set<MessageColumn> OF_DELIVERIES =
            EnumSet.of(MessageColumn.PUBLISHED_AT, MessageColumn.BROKER_MESSAGE_ID, MessageColumn.SHADOW_DESTINATION);

    static Stream<Dialect> dialects() {
        return SupportedDatabases.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void everyColumnIsInTheStatementsThatInsertReadAndArchive(Dialect dialect) {
        Map<String, String> statements = StatementCatalog.of("shop_", dialect);
        String insert =
                dialect == SupportedDatabases.POSTGRESQL ? "PostgresqlInsert.withQueueRows" : "TwoStepInsert.messages";

        for (MessageColumn column : MessageColumn.values()) {
            String name = "(?s).*\\b" + column.column() + "\\b.*";
            if (MessageColumn.INSERTED.contains(column)) {
                assertThat(statements.get(insert)).matches(name);
            }
            if (!UNREAD.contains(column)) {
                assertThat(statements.get("MessageFinder.columns")).matches(name);
            }
            if (!UNREAD.contains(column) && !OF_DELIVERIES.contains(column)) {
                assertThat(statements.get("PageReader.statement")).matches(name);
            }
            if (MessageColumn.ARCHIVED.contains(column)) {
                assertThat(statements.get("MessageRemoval.archive")).matches(name);
            }
        }
    }

    @Test
    void onlyTheDatabaseAndDispatchFillTheOtherColumns() {
        assertThat(Arrays.stream(MessageColumn.values()).filter(column -> !MessageColumn.INSERTED.contains(column)))
                .extracting(MessageColumn::column)
                .containsExactly(
                        "seq",
                        "available_at",
                        "status",
                        "attempts",
                        "last_attempt_at",
                        "last_error",
                        "published_at",
                        "broker_message_id",
                        "shadow_destination");
    }
}
