package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.FakeTransactions.Unreachable;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Guards that log lines, listeners and the publisher name a destination with its outbox: two outboxes may have
 * destinations of one name.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class LabelledLinesTest {
    private static final String[] KEYS = {
        "outbox.partitions",
        "1",
        "outbox.destinations.dead.jndi",
        "jms/dead",
        "outbox.destinations.default.dead-letter",
        "dead"
    };
    private static final OutboxConfig BILLING = DispatchScene.configOf("billing", KEYS);

    private static final DestinationId BILLED = DestinationId.of("billing", "default");

    @AutoClose
    private final DispatchScene scene = new DispatchScene(KEYS);

    private final Dispatcher dispatcher = dispatcher();

    @AutoClose
    private final LogLines logged = new LogLines("dev.cdioutbox");

    private final Map<String, Set<Object>> notified = new ConcurrentHashMap<>();

    @Test
    void linesListenersAndPublisherNameTheDestinationWithItsOutbox() throws SQLException {
        dispatcher.addListener((DispatchListener) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DispatchListener.class}, (proxy, method, arguments) -> {
                    notified.computeIfAbsent(method.getName(), name -> new HashSet<>())
                            .add(arguments[0]);
                    return null;
                }));
        scene.write(
                List.of(message("a", "refused"), message("b", "b"), message("c", "garbage"), message("e", "expired")));
        scene.database.update("UPDATE shop_message SET expires_at = created_at WHERE payload = 'expired'");
        scene.database.update("UPDATE shop_message SET headers = 'no JSON' WHERE payload = 'garbage'");
        scene.broker.refusedAtCommit.add("refused");
        run(BILLING);
        scene.write("d", "d");
        scene.broker.away = "away";
        run(BILLING);
        scene.broker.away = null;
        run(BILLING);
        for (Unreachable how : Unreachable.values()) {
            scene.write(how.name(), how.name());
            scene.transactions.unreachable = how;
            run(BILLING);
            scene.broker.away = null;
            run(BILLING);
            dispatcher.refreshBacklog();
            scene.transactions.end();
        }
        scene.write("h", "held");
        scene.broker.onSend = message -> {
            throw FakeBroker.failure(Blame.UNKNOWN);
        };
        run(DispatchScene.configOf("billing", "outbox.partitions", "1", "outbox.retry.max-attempts", "1"));
        scene.broker.onSend = message -> {};
        scene.write("f", "f");
        run(DispatchScene.configOf(
                "billing", "outbox.partitions", "1", "outbox.dispatcher.shadow-destination", "discard"));
        run(BILLING);
        OutboxConfig slow = DispatchScene.configOf("billing", "outbox.partitions", "1", "outbox.dispatcher.rate", "1");
        await().until(() -> {
            scene.write("i", "of this second, or of a later one");
            run(slow);
            return notified.containsKey("heldBack");
        });
        dispatcher.checkTables();
        dispatcher.refreshBacklog();
        dispatcher.checkNodes();

        assertThat(scene.broker.aims).containsOnly(BILLED);
        Set<String> methods = Arrays.stream(DispatchListener.class.getMethods())
                .map(Method::getName)
                .collect(Collectors.toSet());
        methods.removeAll(Set.of("ticked", "discardedTooLate", "slotRead"));
        assertThat(notified).containsOnlyKeys(methods);
        notified.forEach((method, names) -> assertThat(names)
                .as(method)
                .containsExactly(
                        Set.of("storeChecked", "backlog", "keysBlocked").contains(method) ? "billing" : BILLED));
        assertThat(logged.all().stream().map(line -> line.substring(0, 8)).distinct())
                .contains(
                        "OBX-0307",
                        "OBX-0401",
                        "OBX-0402",
                        "OBX-0411",
                        "OBX-0420",
                        "OBX-0421",
                        "OBX-0422",
                        "OBX-0431",
                        "OBX-0432");
        assertThat(logged.all().stream().filter(line -> line.contains("destination '")))
                .allMatch(line -> line.contains("destination 'billing/default'"));
    }

    private Dispatcher dispatcher() {
        scene.configure(() -> BILLING);
        return scene.dispatcher("node-2");
    }

    private void run(OutboxConfig config) {
        scene.configure(() -> config);
        dispatcher.workers().get("default").poll();
    }
}
