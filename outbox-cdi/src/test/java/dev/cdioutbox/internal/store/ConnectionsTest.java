package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections come from the application's pool and go back to it as they came, whatever happens. */
class ConnectionsTest {
    private static final ClaimLimits ALL = new ClaimLimits(8, 500, 1_000_000);
    private static final NodeIdentity NODE = new NodeIdentity("n", "host", "server", 1, "1.0");

    @AutoClose
    private final TestDatabase database = new TestDatabase();

    private final AtomicInteger taken = new AtomicInteger();
    private final List<String> givenBack = new ArrayList<>();
    private final JdbcOutboxStore store =
            JdbcOutboxStore.open(pool(), TestDatabase.config(SchemaMode.CREATE, "shop", 8), Set.of(DESTINATION));

    record Operation(String name, Consumer<OutboxStore> work) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Operation> operations() {
        return Stream.of(
                new Operation("writing messages", store -> store.write(keyed("b"))),
                new Operation("claiming messages", store -> store.claim(DESTINATION, 0, ALL)
                        .close()),
                new Operation("looking for messages in doubt", store -> store.lockable(Set.of(1L))),
                new Operation("settling messages", store -> store.settle(new Settlement(List.of(1L), List.of()))),
                new Operation("settling messages", store -> store.settle(new Settlement(List.of(), List.of(failed())))),
                new Operation("writing this node's row", store -> store.touch(NODE)),
                new Operation("reading the backlog", OutboxStore::backlog),
                new Operation("looking for messages", store -> store.find(OutboxFilter.all(), null)));
    }

    @ParameterizedTest
    @MethodSource("operations")
    void connectionGoesBackAsItCame(Operation operation) {
        store.write(keyed("a"));

        operation.work().accept(store);

        assertThatAllAreBack();
    }

    @ParameterizedTest
    @MethodSource("operations")
    void failureNamesWhatFailedAndTheConnectionGoesBackToo(Operation operation) {
        database.update("DROP TABLE shop_message CASCADE");
        database.update("DROP TABLE shop_node");

        assertThatThrownBy(() -> operation.work().accept(store))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0302: " + operation.name())
                .hasMessageContaining("not found");

        assertThatAllAreBack();
    }

    private void assertThatAllAreBack() {
        assertThat(givenBack).hasSize(taken.get()).containsOnly("auto-commit");
    }

    /** Notes in which state connections are when they are closed, since pools differ in what they mend themselves. */
    private DataSource pool() {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (pool, method, arguments) -> {
                    taken.incrementAndGet();
                    return noting(database.dataSource().getConnection());
                });
    }

    private Connection noting(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        givenBack.add(connection.getAutoCommit() ? "auto-commit" : "in a transaction");
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Retry failed() {
        return new Retry(1, OutboxStatus.FAILED, 1, Duration.ofHours(1), "no", true);
    }
}
