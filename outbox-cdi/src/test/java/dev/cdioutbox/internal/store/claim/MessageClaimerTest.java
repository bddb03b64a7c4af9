package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.settlement;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyTable;
import dev.cdioutbox.internal.store.claim.MessageClaimer.SelectedPartitions;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards that a claim does not read all followers of a blocked key, which may be millions. */
@Tag("database")
class MessageClaimerTest {
    private static final int PAGE = 4;

    @AutoClose
    private final TestDatabase database = new TestDatabase();

    private final JdbcOutboxStore store = database.open(1);
    private final AtomicInteger pages = new AtomicInteger();

    /** Between the two reads of a claim, another node may release a partition whose key it has just blocked. */
    @Test
    void secondReadStopsAtTheFollowersInAPartitionThatTheFirstReadDidNotHave() throws SQLException {
        store.write(keyed("key-0"));
        Retry retry =
                new Retry(database.sequence("key-0"), OutboxStatus.FAILED, 1, Duration.ofHours(1), "failed", true);
        store.settle(settlement(List.of(), List.of(retry)), null);
        store.write(numbered(1, 40, 1));
        int partition =
                Integer.parseInt(database.query("SELECT queue_id FROM shop_queue WHERE seq = ?", database.sequence("1"))
                        .get(0));
        Dialect dialect = database.kind().dialect();
        BlockedKeyTable blockedKeys = new BlockedKeyTable(new Sql(TestDatabase.PREFIX, dialect), ReadWatermark.NONE);
        MessageClaimer claimer = new MessageClaimer(
                null,
                TestDatabase.config(SchemaMode.NONE, "shop", 1),
                dialect,
                null,
                blockedKeys,
                null,
                ReadWatermark.NONE);
        MessageClaimer.OpenClaim claim = claimer.new OpenClaim(null, DESTINATION, 0, limits(1, PAGE, 1_000_000));

        try (Connection connection = database.dataSource().getConnection()) {
            claim.readQueues(
                    counted(connection), new SelectedPartitions(List.of(partition), List.of(), false, false), Set.of());
        }

        assertThat(pages).hasValue(1);
        assertThat(claim.isEmpty()).isTrue();
    }

    private Connection counted(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")
                            && arguments[0].toString().contains("key_blocked")) {
                        pages.incrementAndGet();
                    }
                    return method.invoke(connection, arguments);
                });
    }
}
