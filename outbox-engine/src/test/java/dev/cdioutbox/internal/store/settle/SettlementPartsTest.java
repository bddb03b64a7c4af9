package dev.cdioutbox.internal.store.settle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.sql.JdbcStatement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that no statement of a settlement has more parameters than SQL Server accepts. */
class SettlementPartsTest {
    /** With those of the statement itself: the shadow destination. */
    private static final int ACCEPTED = 2100;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 500, 512, 513, 1000})
    void eachPartFitsAndAllPartsAreAllMessages(int count) {
        List<Long> sequences = LongStream.range(0, count).boxed().toList();
        Map<Long, String> names =
                sequences.stream().collect(Collectors.toMap(Function.identity(), each -> "ID:" + each));
        SentSettlement sent = new SentSettlement(sequences, RetentionConfig.DEFAULT, null, names);

        List<List<Long>> parts = SettlementWriter.parts(sequences, sent);

        assertThat(parts).allSatisfy(part -> assertThat(3 * JdbcStatement.paddedCount(part.size()) + 1)
                .isBetween(4, ACCEPTED));
        assertThat(parts.stream().flatMap(List::stream)).containsExactlyElementsOf(sequences);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1000})
    void withoutNamesOneStatementIsEnough(int count) {
        List<Long> sequences = LongStream.range(0, count).boxed().toList();
        SentSettlement sent = new SentSettlement(sequences, RetentionConfig.DEFAULT, null, Map.of());

        assertThat(SettlementWriter.parts(sequences, sent)).containsExactly(sequences);
    }
}
