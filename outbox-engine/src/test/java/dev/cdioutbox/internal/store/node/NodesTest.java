package dev.cdioutbox.internal.store.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxNode;
import org.junit.jupiter.api.Test;

/** Guards that the list of nodes shows the nodes of this application, and which of them are silent. */
class NodesTest extends StoreContract {
    private final JdbcOutboxStore store = database.open(4);

    NodesTest(Database kind) {
        super(kind);
    }

    @Test
    void nodesAreShownWithTheirPartitionsAndTheirHealth() throws SQLException {
        store.nodes().writeHeartbeat(node("dead"), 7);
        setLastTick("dead", Instant.now().minus(Duration.ofHours(1)));
        store.nodes().writeHeartbeat(node("alive"), 0);
        store.nodes().writeHeartbeat(node("alive"), 3);

        assertThat(store.nodes().all())
                .satisfiesExactly(
                        alive -> {
                            assertThat(alive)
                                    .extracting(
                                            OutboxNode::id,
                                            OutboxNode::module,
                                            OutboxNode::host,
                                            OutboxNode::server,
                                            OutboxNode::process,
                                            OutboxNode::version,
                                            OutboxNode::partitions)
                                    .containsExactly("alive", "shop", "host-alive", "server", 17L, "1.0", 3);
                            assertThat(alive.isAlive()).isTrue();
                            assertThat(alive.lastSeenAt()).isAfterOrEqualTo(alive.startedAt());
                            assertThat(alive.silentFor()).isLessThan(OutboxNode.DEAD_AFTER);
                        },
                        dead -> {
                            assertThat(dead.id()).isEqualTo("dead");
                            assertThat(dead.isAlive()).isFalse();
                            assertThat(dead.silentFor()).isGreaterThan(Duration.ofMinutes(59));
                        });
    }

    @Test
    void nodesOfAnotherApplicationAreNotShown() {
        JdbcOutboxStore other = database.open(SchemaMode.CREATE, "other", 4);
        other.nodes().writeHeartbeat(node("theirs"), 0);
        store.nodes().writeHeartbeat(node("ours"), 0);

        assertThat(store.nodes().all()).extracting(OutboxNode::id).containsExactly("ours");
    }

    /** Otherwise a locked table, or a database that does not answer, would hold the console's threads. */
    @Test
    void eachStatementHasATimeout() throws SQLException {
        List<Object> timeouts = new ArrayList<>();
        try (Connection connection = database.dataSource().getConnection()) {
            Connection watched = proxy(Connection.class, (proxy, method, arguments) -> {
                if (method.getName().equals("close")) {
                    return null;
                }
                timeouts.add("none");
                PreparedStatement statement = connection.prepareStatement((String) arguments[0]);
                return proxy(PreparedStatement.class, (prepared, called, values) -> {
                    if (called.getName().equals("setQueryTimeout") && !values[0].equals(0)) {
                        timeouts.set(timeouts.size() - 1, values[0]);
                    }
                    return called.invoke(statement, values);
                });
            });
            Connections connections = new Connections(proxy(DataSource.class, (proxy, method, arguments) -> watched));
            NodeTable nodes = new NodeTable(
                    connections,
                    "shop",
                    new Sql(TestDatabase.PREFIX, database.kind().dialect()));
            nodes.writeHeartbeat(node("alive"), 1);
            assertThat(nodes.all()).hasSize(1);
            nodes.purge(watched);
            nodes.delete("alive");
        }

        assertThat(timeouts).hasSize(5).doesNotContain("none");
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static ThisNode node(String id) {
        return new ThisNode(id, "shop", "host-" + id, "server", 17, "1.0");
    }

    private void setLastTick(String id, Instant time) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement update =
                        connection.prepareStatement("UPDATE shop_node SET last_tick_at = ? WHERE node_id = ?")) {
            database.kind().dialect().setTime(update, 1, time);
            update.setString(2, id);
            update.executeUpdate();
        }
    }
}
