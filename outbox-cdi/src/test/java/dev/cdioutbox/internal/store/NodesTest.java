package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;

import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import org.junit.jupiter.api.Test;

/** Guards that the list of nodes shows the nodes of this application, and which of them are silent. */
class NodesTest extends StoreContract {
    private final JdbcOutboxStore store = database.open(4);

    NodesTest(Database kind) {
        super(kind);
    }

    @Test
    void nodesAreShownWithTheirPartitionsAndTheirHealth() throws SQLException {
        store.writeHeartbeat(node("dead"), 7);
        setLastTick("dead", Instant.now().minus(Duration.ofHours(1)));
        store.writeHeartbeat(node("alive"));
        store.writeHeartbeat(node("alive"), 3);

        assertThat(store.nodes())
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
        other.writeHeartbeat(node("theirs"));
        store.writeHeartbeat(node("ours"));

        assertThat(store.nodes()).extracting(OutboxNode::id).containsExactly("ours");
    }

    private static NodeIdentity node(String id) {
        return new NodeIdentity(id, "shop", "host-" + id, "server", 17, "1.0");
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
