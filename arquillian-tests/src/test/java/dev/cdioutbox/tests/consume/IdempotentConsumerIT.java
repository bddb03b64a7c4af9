package dev.cdioutbox.tests.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import jakarta.ejb.EJB;
import jakarta.inject.Inject;
import jakarta.jms.Message;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxOperations;
import dev.cdioutbox.internal.config.ConfigSource;
import dev.cdioutbox.internal.config.InboxConfig.MissingId;
import dev.cdioutbox.jms.ReceivedEvents;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.container.ServerLog;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.ManagedServer;
import dev.cdioutbox.tests.server.SampleClient;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Messages that come more than once, late or with nothing to tell them by. */
@ExtendWith(ArquillianExtension.class)
class IdempotentConsumerIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    /** Its port is in bootstrap.properties, which are system properties in the server. */
    private static final SampleClient SERVER =
            new SampleClient(path -> URI.create("http://localhost:" + System.getProperty("http.port") + path));

    @Inject
    Ledger ledger;

    @Inject
    Post post;

    @Inject
    Hook hook;

    @EJB
    Handler<Message> handler;

    @Inject
    UserTransaction caller;

    @Inject
    ReceivedEvents events;

    @Inject
    OutboxOperations outbox;

    @Inject
    ConfigSource config;

    private final String id = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return Deployments.empty()
                .addPackage(IdempotentConsumerIT.class.getPackage())
                .addClasses(SampleClient.class, Http.class, Http.UnreachableException.class, ServerLog.class);
    }

    @BeforeEach
    void open() {
        // Null where a test runs outside of the server.
        if (ledger != null) {
            ledger.open();
        }
    }

    /** Its handler goes on only when three copies are on their way, each in a transaction that has begun. */
    @Test
    void messageThatComesManyTimesAtOnceTakesEffectOnce() {
        String text = "together " + id;
        post.send("jms/parcels", 20, text, Map.of("messageId", id));

        awaitEnded(text, 20);
        assertThat(ledger.notes("parcels", text)).hasSize(1);
        assertThat(ledger.inbox("parcels", id)).hasSize(1);
        assertThat(NoticedInterceptor.came(text))
                .as("no copy uses up a redelivery")
                .isEqualTo(20);
    }

    /** By an exception, by one that lets the container commit, or by marking the transaction and returning. */
    @Test
    void consumerThatFailsInWhateverWayLeavesNoTraceAndGetsTheMessageAgain() {
        for (String way : List.of("twice", "excused", "undone")) {
            post.send("jms/parcels", 1, way + " " + id, Map.of("messageId", way + id));
        }
        for (String way : List.of("twice", "excused", "undone")) {
            String text = way + " " + id;
            await().atMost(SOON).until(() -> ledger.inbox("parcels", way + id).size() == 1);
            assertThat(NoticedInterceptor.came(text)).as(way).isEqualTo(3);
            assertThat(ledger.notes("parcels", text)).as(way).hasSize(1);
        }
    }

    @Test
    void messageThatAlwaysFailsIsPutAsideByTheContainer() {
        String text = "never " + id;
        post.send("jms/parcels", 1, text, Map.of("messageId", id));

        await().atMost(SOON).until(() -> text.equals(post.putAside(text)));
        assertThat(ledger.notes("parcels", text)).isEmpty();
        assertThat(ledger.inbox("parcels", id)).isEmpty();
    }

    @Test
    void messageWithoutAnIdIsToldByThatOfJms() {
        String text = "nameless " + id;
        post.send("jms/parcels", 3, text, Map.of());

        await().atMost(SOON).until(() -> ledger.notes("parcels", text).size() == 3);
    }

    @Test
    void whatAConsumerFiresIsCausedByItsMessage() {
        String text = "reply " + id;
        post.send("jms/parcels", 2, text, Map.of("messageId", id, "tenantId", "tenant"));

        awaitEnded(text, 2);
        assertThat(outbox.find(OutboxFilter.all().withKey(text)))
                .singleElement()
                .satisfies(message -> {
                    assertThat(message.context().causationId()).isEqualTo(id);
                    assertThat(message.context().tenantId()).isEqualTo("tenant");
                    assertThat(message.context().correlationId()).isEqualTo("correlation " + text);
                });
    }

    /** And through an interface, by which nobody can see that it takes messages. */
    @Test
    void sessionBeanThatTakesAMessageIsAConsumerLikeAnyOther() {
        String text = "handed over " + id;

        assertThat(post.handTo(handler, text, id)).isTrue();
        assertThat(post.handTo(handler, text, id)).isFalse();

        assertThat(ledger.notes("hook", text)).hasSize(1);
        assertThat(outbox.find(OutboxFilter.all().withKey(text)))
                .singleElement()
                .satisfies(message -> {
                    assertThat(message.context().causationId()).isEqualTo(id);
                    assertThat(message.context().correlationId()).isEqualTo("correlation " + text);
                });
    }

    @Test
    void messageThatIsNoTextIsRefusedWithoutALookInside() {
        Message message = post.objectMessage(new Trap());

        assertThatThrownBy(() -> events.read(message))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0512");
        assertThat(Trap.sprung()).isFalse();
    }

    @Test
    void overtakenMessageIsSkippedIfOrderIsAskedFor() {
        double stale = stale();
        try (LogLines log = new LogLines()) {
            sendAroundAnOvertakenOne();
            await().atMost(SOON).until(() -> ledger.notes("latest", id + "%").contains(id + " 10"));
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("OBX-0510"))
                    .singleElement()
                    .asString()
                    .startsWith("WARNING ")
                    .contains("message " + id + "8 (key " + id + ", sequence 8)", "skipped_stale");
        }
        assertThat(ledger.notes("latest", id + "%"))
                .containsExactlyInAnyOrder(id + " 9", id + " delayed", id + " keyless", id + " other", id + " 10");
        assertThat(ledger.inbox("latest", id + "8"))
                .as("it is not looked at again")
                .hasSize(1);
        assertThat(stale() - stale).isEqualTo(1);
    }

    private void sendAroundAnOvertakenOne() {
        sendInOrder("9", 9);
        sendInOrder("8", 8);
        post.send(
                "jms/latest",
                1,
                id + " delayed",
                Map.of(
                        "messageId",
                        id + "d",
                        "aggregateId",
                        id,
                        "sequence",
                        3L,
                        "deliverNotBefore",
                        "2026-01-01T00:00:00Z"));
        post.send("jms/latest", 1, id + " keyless", Map.of("messageId", id + "k", "sequence", 2L));
        post.send(
                "jms/latest",
                1,
                id + " other",
                Map.of("messageId", id + "o", "aggregateId", id + "-2", "sequence", 1L));
        sendInOrder("10", 10);
    }

    private static double stale() {
        return SERVER.metric("outbox_stale_skipped_total", "consumer=\"latest\"");
    }

    private void sendInOrder(String name, long sequence) {
        post.send(
                "jms/latest",
                1,
                id + " " + name,
                Map.of("messageId", id + name, "aggregateId", id, "sequence", sequence));
    }

    @Test
    void anyMethodWithAnIdIsAConsumer() {
        ServerLog log = new ServerLog();
        assertThat(hook.call("note " + id, id)).isEqualTo(1);
        assertThat(hook.call("note " + id, id)).isZero();

        assertThat(ledger.notes("hook", "note " + id)).hasSize(1);
        assertThat(log.lines("outbox_event_id=" + id))
                .singleElement()
                .asString()
                .contains("OBX-0509", "outbox_action=skipped_duplicate", "consumer=hook");
    }

    @Test
    void consumerThatCallsItselfIsNotACopy() {
        assertThat(hook.callThrough("note " + id, id)).isEqualTo(11);
        assertThat(hook.callThrough("note " + id, id)).isZero();

        assertThat(ledger.notes("hook", "note " + id)).hasSize(1);
    }

    @Test
    void anyExceptionRollsBack() {
        assertThatThrownBy(() -> hook.fail("note " + id, id)).isInstanceOf(Exception.class);

        assertThat(ledger.notes("hook", "note " + id)).isEmpty();
        assertThat(hook.call("note " + id, id)).isEqualTo(1);
    }

    @Test
    void callWithoutATransactionIsRefused() {
        assertThatThrownBy(() -> hook.outside(id))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0506");
        assertThat(ledger.notes("hook", id)).isEmpty();
        assertThat(ledger.inbox("hook", id)).isEmpty();
    }

    @Test
    void callWithoutAnIdIsRefused() {
        for (String none : new String[] {null, "", "x".repeat(256)}) {
            assertThatThrownBy(() -> hook.call("note", none))
                    .isInstanceOf(OutboxException.class)
                    .hasMessageStartingWith("OBX-0507");
        }
    }

    /** Once it were a part of two transactions, either could be rolled back without the other. */
    @Test
    void consumerThatCallsItselfInANewTransactionIsRefused() {
        assertThatThrownBy(() -> hook.callApart("note " + id, id))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0515: consumer 'hook'");
        assertThat(ledger.notes("hook", "note " + id)).isEmpty();
        assertThat(ledger.inbox("hook", id)).isEmpty();
    }

    @Test
    void messageIsNotedByTheTransactionOfTheWorkWhateverTheCallersDoes() throws Exception {
        caller.begin();
        hook.callInNew("note " + id, id);
        hook.call("other note " + id, id + "-2");
        caller.rollback();

        assertThat(ledger.notes("hook", "note " + id)).hasSize(1);
        assertThat(hook.call("note " + id, id)).isZero();
        assertThat(ledger.notes("hook", "other note " + id)).isEmpty();
        assertThat(hook.call("other note " + id, id + "-2")).isEqualTo(1);
    }

    /** Of 7 days, and then of 5: what is 6 days old is forgotten by the next sweep. */
    @Test
    void inboxIsSweptAfterItsRetentionWhichMayChange() {
        for (int days : new int[] {4, 6}) {
            hook.call("note " + id, id + days);
            ledger.update(
                    "UPDATE outbox_inbox SET received_at = DATEADD(DAY, -" + days
                            + ", CURRENT_TIMESTAMP) WHERE message_id = ?",
                    id + days);
        }
        assertThat(config.current().inbox().retention()).hasDays(7);
        with("outbox.retention.inbox", "P5D", () -> {
            await().atMost(SOON).until(() -> ledger.inbox("hook", id + 6).isEmpty());
            assertThat(ledger.inbox("hook", id + 4)).hasSize(1);
            assertThat(hook.call("note " + id, id + 6)).as("is forgotten").isEqualTo(1);
            assertThat(hook.call("note " + id, id + 4)).as("is known").isZero();
        });
    }

    @Test
    void messageWithoutAnIdIsPutAsideIfThatIsWanted() {
        String text = "nameless " + id;
        with("outbox.inbox.missing-id", "refuse", () -> {
            await().atMost(SOON).until(() -> config.current().inbox().missingId() == MissingId.REFUSE);
            post.send("jms/parcels", 1, text, Map.of());
            await().atMost(SOON).until(() -> text.equals(post.putAside(text)));
            assertThat(ledger.notes("parcels", text)).isEmpty();
            post.send("jms/parcels", 1, text, Map.of("messageId", id));
            await().atMost(SOON).until(() -> ledger.notes("parcels", text).size() == 1);
        });
    }

    @Test
    @RunAsClient
    void twoConsumersOfOneNameAreWarnedOf() {
        assertThat(ManagedServer.log())
                .contains("OBX-0508: the consumer 'hook' is several classes: [%s, %s]"
                        .formatted(HandlerBean.class.getName(), Hook.class.getName()))
                .doesNotContain("OBX-0508: the consumer 'parcels'");
    }

    private static void with(String key, String value, Runnable what) {
        System.setProperty(key, value);
        try {
            what.run();
        } finally {
            System.clearProperty(key);
        }
    }

    private static void awaitEnded(String text, int transactions) {
        await().atMost(SOON).until(() -> NoticedInterceptor.ended(text) >= transactions);
    }
}
