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
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.deadletter.DeadLetterFilter;
import dev.cdioutbox.internal.ejb.Dispatchers;
import dev.cdioutbox.internal.operate.DeadLetterOperations.DeadLetterBatch;
import dev.cdioutbox.jms.ReceivedEvents;
import dev.cdioutbox.operate.OutboxAuditEntry;
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

    @Inject
    DeadLetters letters;

    @Deployment
    static WebArchive tests() {
        return archive("outbox.dead-letters.exceptions.jndi=jms/exceptions");
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

    /** Liberty's dead letters of all queues are in one queue. */
    @Test
    void deadLetterSaysWhereItCameFromAndGoesBackThere() {
        String text = "late " + id;
        post.send("jms/parcels", 1, text, Map.of("messageId", id, "aggregateId", "key'" + id, "kind", "fragile"));
        await().atMost(SOON).until(() -> letters.of(id).size() == 1);

        DeadLetter letter = letters.of(id).get(0);
        assertThat(letter.origin()).isEqualTo("parcels");
        assertThat(letter.reason()).isNotBlank();
        assertThat(letter.failedAt()).isAfterOrEqualTo(letter.sentAt());
        assertThat(letter.text()).isEqualTo(text);
        assertThat(letter.properties()).containsEntry("kind", "fragile");
        assertThat(letters.of(letter.id())).as("found by the broker's id").containsExactly(letter);
        DeadLetterFilter byKey = new DeadLetterFilter(null, null, "key'" + id);
        assertThat(letters.find(byKey, 0, 10)).hasSize(1);
        assertThat(letters.find(new DeadLetterFilter(null, "Another", "key'" + id), 0, 10))
                .isEmpty();
        assertThat(letters.count(byKey)).isEqualTo(1);

        assertThat(letters.take(byKey, 0, 10, true)).isEqualTo(new DeadLetterBatch(1, null, null));

        await().atMost(SOON).until(() -> ledger.notes("parcels", text).size() == 1);
        assertThat(letters.of(id)).isEmpty();
        assertThat(ledger.audits("%key'" + id + "%")).containsExactly("send-back 1");
    }

    /** The letter, where it goes, and the audit. */
    @Test
    void changeOfADeadLetterIsOneTransaction() throws Exception {
        post.send("jms/parcels", 1, "never " + id, Map.of("messageId", id));
        await().atMost(SOON).until(() -> letters.of(id).size() == 1);

        // More often than maxRedeliveryCount: the letter must not forget where it came from.
        for (int failure = 0; failure < 6; failure++) {
            caller.begin();
            assertThat(letters.take(id, failure % 2 == 0).changed()).isEqualTo(1);
            caller.rollback();
        }
        assertThat(letters.of(id)).extracting(DeadLetter::origin).containsExactly("parcels");
        assertThat(ledger.audits("%" + id + "%")).isEmpty();
        assertThat(NoticedInterceptor.came("never " + id)).isEqualTo(5);

        assertThat(letters.take(id, false)).isEqualTo(new DeadLetterBatch(1, null, null));
        assertThat(letters.of(id)).isEmpty();
        assertThat(ledger.audits("%" + id + "%")).containsExactly("discard-dead-letters 1");
    }

    @Test
    void deadLetterWhoseQueueNobodyKnowsStays() throws Exception {
        post.send("jms/exceptions", 3, "sent here " + id, Map.of("messageId", id));
        await().atMost(SOON).until(() -> letters.of(id).size() == 3);

        assertThat(letters.take(new DeadLetterFilter(id, null, null), 0, 2, true))
                .satisfies(batch -> {
                    assertThat(batch.changed()).isZero();
                    assertThat(batch.after())
                            .as("the next batch is behind them")
                            .isEqualTo(2);
                    assertThat(batch.left())
                            .startsWith("OBX-0523: dead letters that stay in the queue 'exceptions': 2.");
                });
        caller.begin();
        DeadLetter letter = letters.of(id).get(0);
        assertThat(letters.sendTo("removed", letter).left()).hasSize(1);
        caller.commit();
        assertThat(letters.of(id)).hasSize(3);

        assertThat(letters.take(id, false).changed()).isEqualTo(3);
    }

    /** As many as Liberty's messaging allows by default. */
    @Tag("full")
    @Test
    void queueOfFiftyThousandDeadLettersIsPagedAndEmptied() {
        for (int part = 0; part < 10; part++) {
            post.send("jms/exceptions", 5000, "many", Map.of("messageId", part + id, "aggregateId", id));
        }
        DeadLetterFilter many = new DeadLetterFilter(null, null, id);
        await().atMost(SOON).until(() -> letters.count(many) == 50_000);
        assertThat(letters.find(many, 0, 50)).extracting(DeadLetter::messageId).containsOnly(0 + id);
        assertThat(letters.find(many, 49_990, 50))
                .hasSize(10)
                .extracting(DeadLetter::messageId)
                .containsOnly(9 + id);
        assertThat(letters.find(new DeadLetterFilter(9 + id, null, null), 0, 1)).hasSize(1);

        for (int batch = 0; batch < 500; batch++) {
            assertThat(letters.take(many, 0, 100, false).changed()).isEqualTo(100);
        }
        assertThat(letters.find(many, 0, 1)).isEmpty();
    }

    /** Some brokers do not say it. */
    @Test
    void deadLetterGoesBackToWhereTheOutboxHasSentItsMessage() {
        post.send("jms/parcels", 1, "reply " + id, Map.of("messageId", id));
        await().atMost(SOON)
                .until(() ->
                        outbox.find(OutboxFilter.all().withKey("reply " + id).withStatus(OutboxStatus.PUBLISHED))
                                        .size()
                                == 1);
        OutboxMessage published =
                outbox.find(OutboxFilter.all().withKey("reply " + id)).get(0);
        post.send(
                "jms/exceptions", 1, "copy", Map.of("messageId", published.id().toString()));
        await().atMost(SOON).until(() -> letters.of(published.id().toString()).size() == 1);
        await().atMost(SOON).until(() -> outbox.diagnose().stream()
                .anyMatch(finding -> finding.code().equals("OBX-0524")));

        assertThat(letters.of(published.id().toString()))
                .extracting(DeadLetter::origin)
                .containsExactly("outbox");
        assertThat(letters.take(published.id().toString(), true).changed()).isEqualTo(1);
        assertThat(outbox.history(published.id()))
                .extracting(OutboxAuditEntry::action)
                .containsExactly("send-back");
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

    /** The consumer may have handled a later message of the key, and has forgotten it. */
    @Test
    void messageThatMayBeLateIsPutAsideAndNotSkipped() {
        sendPlaced("9", 9, "2026-01-01T10:00:00Z");
        await().atMost(SOON).until(() -> ledger.notes("latest", id + "%").contains(id + " 9"));
        ledger.update("UPDATE outbox_inbox_key SET message_key = '' WHERE message_key = ?", id);
        sendPlaced("8", 8, "2026-01-01T09:00:00Z");

        await().atMost(SOON).until(() -> (id + " 8").equals(post.putAside(id + " 8")));
        ledger.update("DELETE FROM outbox_inbox_key WHERE message_key = ?", "");
        assertThat(ledger.inbox("latest", id + "8")).as("can be brought back").isEmpty();
    }

    private void sendPlaced(String name, long sequence, String storedAt) {
        Map<String, Object> properties =
                Map.of("messageId", id + name, "aggregateId", id, "sequence", sequence, "storedAt", storedAt);
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

    /** The retention changes from 7 days to 5, so the next purge deletes the row that is 6 days old. */
    @Test
    void inboxIsPurgedAfterItsRetentionWhichMayChange() {
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
                dispatch.purge();
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
