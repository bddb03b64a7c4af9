package dev.cdioutbox.internal.store.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.NewRow;
import dev.cdioutbox.internal.store.sql.Sql;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Guards that an insert binds what its text names, and names no column that all its messages leave empty. */
class InsertedColumnsTest {
    static Stream<Dialect> dialects() {
        return SupportedDatabases.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("dialects")
    void insertBindsEachParameterOnce(Dialect dialect) throws SQLException {
        NewMessage message = TestMessages.terms(
                TestMessages.message("order-1", "text"), new NewMessage.Terms(null, Duration.ofHours(1), 5));
        List<Integer> bound = new ArrayList<>();
        PreparedStatement insert = (PreparedStatement) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PreparedStatement.class}, (proxy, method, arguments) -> {
                    bound.add((Integer) arguments[0]);
                    return null;
                });

        InsertedColumns columns = new InsertedColumns(MessageColumn.INSERTED);
        int parameter = columns.bind(insert, List.of(new NewRow(message, "shop", 1, 2, false)), dialect);

        String text = new TwoStepInsert(new Sql("shop_", dialect)).messages(columns);
        long parameters = text.chars().filter(c -> c == '?').count();
        assertThat(bound)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, (int) parameters).boxed().toList());
        assertThat(parameter).isEqualTo(parameters + 1);
    }

    /** Each column costs the database time, even if it is null. */
    @Test
    void aggregateIdIsInsertedOnlyIfItIsNotTheKey() {
        NewMessage keyed = TestMessages.message("customer-1", "text");

        assertThat(inserted(keyed)).doesNotContain(MessageColumn.AGGREGATE_ID);
        assertThat(inserted(TestMessages.aggregate(keyed, "customer-1"))).doesNotContain(MessageColumn.AGGREGATE_ID);
        assertThat(inserted(TestMessages.aggregate(keyed, "order-1"))).contains(MessageColumn.AGGREGATE_ID);
    }

    private static List<MessageColumn> inserted(NewMessage message) {
        return InsertedColumns.of(List.of(new NewRow(message, "shop", 1, 2, false)))
                .columns();
    }
}
