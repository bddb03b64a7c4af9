package dev.cdioutbox.tests.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.Map;

import jakarta.ejb.EJB;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.ejb.Dispatchers;
import dev.cdioutbox.jms.ReceivedEvents;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.tests.consume.lone.LoneBean;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.ManagedServer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A consumer handles a message once, however often it arrives, and whichever kind of bean takes it. */
@Tag("decisive")
class IdempotentConsumerIT extends ConsumerContract {
    @EJB
    Handler<Message> handler;

    @Inject
    UserTransaction caller;

    @Inject
    ReceivedEvents events;

    @Inject
    CurrentConfig config;

    @Inject
    Dispatchers dispatch;

    @Deployment
    static WebArchive tests() {
        return archive();
    }

    /** The smallest possible application: a message-driven bean and the two jars, without a beans.xml. */
    @Deployment(name = "lone", order = 1, testable = false)
    static WebArchive lone() {
        WebArchive war = Deployments.outbox("lone-tests.war").addClass(LoneBean.class);
        war.delete("WEB-INF/beans.xml");
        return war;
    }

    /** The queue has maxRedeliveryCount="5", which docs/consume.md counts as deliveries in all. */
    @Test
    void messageThatAlwaysFailsIsPutAsideByTheContainer() {
        String text = "never " + id;
        post.send("jms/parcels", 1, text, Map.of("messageId", id));

        await().atMost(SOON).until(() -> text.equals(post.putAside(text)));
        assertThat(NoticedInterceptor.came(text)).as("deliveries").isEqualTo(5);
        assertThat(ledger.notes("parcels", text)).isEmpty();
        assertThat(ledger.inbox("parcels", id)).isEmpty();
    }

    /** After a restore of the producer's database, or TRUNCATE … RESTART IDENTITY. */
    @Test
    void laterMessageWhoseSequenceBeganAgainIsPutAsideAndNotSkipped() {
        sendPlaced("9", 9, "2026-01-01T10:00:00Z");
        await().atMost(SOON).until(() -> ledger.notes("latest", id + "%").contains(id + " 9"));
        sendPlaced("1", 1, "2026-01-01T11:00:00Z");

        await().atMost(SOON).until(() -> (id + " 1").equals(post.putAside(id + " 1")));
        assertThat(ledger.inbox("latest", id + "1")).as("can be brought back").isEmpty();
        ledger.update("DELETE FROM outbox_inbox_key WHERE message_key = ?", id);
        sendPlaced("1", 1, "2026-01-01T11:00:00Z");
        await().atMost(SOON).until(() -> ledger.notes("latest", id + "%").contains(id + " 1"));
    }

    private void sendPlaced(String name, long sequence, String occurredAt) {
        Map<String, Object> properties =
                Map.of("messageId", id + name, "aggregateId", id, "sequence", sequence, "occurredAt", occurredAt);
        post.send("jms/latest", 1, id + " " + name, properties);
    }

    @Test
    void messageWithoutAnIdIsIdentifiedByItsJmsId() {
        String text = "nameless " + id;
        post.send("jms/parcels", 3, text, Map.of());

        await().atMost(SOON).until(() -> ledger.notes("parcels", text).size() == 3);
    }

    /** The interface does not show that the bean takes a message. */
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
    void methodOfAnyBeanThatTakesAMessageIsAConsumer() throws JMSException {
        String text = "taken " + id;

        assertThat(hook.take(post.message(text, id))).isTrue();
        assertThat(hook.take(post.message(text, id))).isFalse();
        assertThat(ledger.notes("hook", text)).hasSize(1);
    }

    /** On a class, the annotation applies to the methods that take a message. */
    @Test
    void methodWithoutAMessageIsLeftAlone() {
        assertThat(handler.isReady()).isTrue();
        assertThat(handler.isReady()).isTrue();
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
    void anyMethodWithAnIdIsAConsumer() {
        assertThat(hook.call("note " + id, id)).isEqualTo(1);
        assertThat(hook.call("note " + id, id)).isZero();

        assertThat(ledger.notes("hook", "note " + id)).hasSize(1);
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

    /** Otherwise one of the two transactions could roll back without the other. */
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

    /** The retention changes from 7 days to 5, so the next sweep deletes the row that is 6 days old. */
    @Test
    void inboxIsSweptAfterItsRetentionWhichMayChange() {
        for (int days : new int[] {4, 6}) {
            hook.call("note " + id, id + days);
            ledger.update(
                    "UPDATE outbox_inbox SET received_at = DATEADD(DAY, -" + days
                            + ", CURRENT_TIMESTAMP) WHERE message_id = ?",
                    id + days);
        }
        assertThat(config.current().inboxRetention()).hasDays(7);
        with("outbox.retention.inbox", "P5D", () -> {
            await().atMost(SOON).until(() -> {
                dispatch.sweep();
                return ledger.inbox("hook", id + 6).isEmpty();
            });
            assertThat(ledger.inbox("hook", id + 4)).hasSize(1);
            assertThat(hook.call("note " + id, id + 6)).as("is forgotten").isEqualTo(1);
            assertThat(hook.call("note " + id, id + 4)).as("is known").isZero();
        });
    }

    @Test
    void messageDrivenBeanThatIsAllThereIsHandlesAMessageOnce() {
        double skipped = metric("outbox_duplicates_skipped_total", "lone");
        post.send("jms/lone", 3, "alone " + id, Map.of("messageId", id));

        await().atMost(SOON)
                .until(() -> ledger.notes("lone", "alone " + id).size() > 1
                        || metric("outbox_duplicates_skipped_total", "lone") - skipped == 2);
        assertThat(ledger.notes("lone", "alone " + id)).hasSize(1);
        assertThat(ledger.inbox("lone", id)).hasSize(1);
    }

    @Test
    @RunAsClient
    void twoConsumersOfOneNameAreWarnedOf() {
        assertThat(ManagedServer.log())
                .contains("OBX-0508: several classes are the consumer 'hook': [%s, %s]"
                        .formatted(HandlerBean.class.getName(), Hook.class.getName()))
                .doesNotContain("OBX-0508: several classes are the consumer 'parcels'");
    }

    private static void with(String key, String value, Runnable what) {
        System.setProperty(key, value);
        try {
            what.run();
        } finally {
            System.clearProperty(key);
        }
    }
}
