package dev.cdioutbox.tests.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.consume.Handler;
import dev.cdioutbox.tests.consume.Ledger;
import dev.cdioutbox.tests.consume.Post;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A message-driven bean stores its messages for a handler, which gets each once, in order, and again until it succeeds. */
@ExtendWith(ArquillianExtension.class)
class InboxIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int REDELIVERIES_OF_THE_BROKER = 5;

    @Inject
    Ledger ledger;

    @Inject
    Post post;

    @Inject
    OutboxOperations outbox;

    private final String order = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return Deployments.named(
                        "inbox-tests.war",
                        "outbox.table-prefix=arrival_",
                        "outbox.routes.*=local",
                        "outbox.destinations.absent.dispatcher.enabled=false",
                        "outbox.retry.max-attempts=100000",
                        "outbox.retry.base-delay=PT0.01S",
                        "outbox.retry.max-delay=PT0.1S")
                .addPackage(InboxIT.class.getPackage())
                .addClasses(Ledger.class, Post.class, Handler.class);
    }

    @BeforeEach
    void open() {
        ledger.open();
    }

    @Test
    void messageIsTriedMoreOftenThanByTheBrokerAndHoldsUpItsKeyAlone() {
        Arrivals.IN_TROUBLE.add(order);
        String healthy = UUID.randomUUID().toString();
        send(order, 1);
        await().atMost(SOON).until(() -> attempts() > REDELIVERIES_OF_THE_BROKER);
        send(order, 2);
        send(healthy, 1);
        await().atMost(SOON).until(() -> handled(healthy).size() == 1);
        assertThat(handled(order)).isEmpty();
        assertThat(post.putAside(text(order, 1))).as("in the dead-letter queue").isNull();

        Arrivals.IN_TROUBLE.remove(order);
        await().atMost(SOON).until(() -> handled(order).size() == 2);
        assertThat(handled(order)).containsExactly(1, 2);
    }

    @Test
    void messageThatTheSenderSendsTwiceIsHandledOnce() {
        post.send("jms/arrivals", 3, text(order, 1), properties(order, 1));
        send(order, 2);

        await().atMost(SOON).until(() -> handled(order).contains(2));
        assertThat(handled(order)).containsExactly(1, 2);
        assertThat(stored(OutboxStatus.PUBLISHED)).hasSize(2);
    }

    /** The messages have no sequence, so that only the lock of the key keeps two threads apart. */
    @Test
    void keyIsHandledInTheOrderInWhichTwoThreadsHaveAcceptedIt() {
        for (int step = 1; step <= 60; step++) {
            post.send("jms/arrivals", 1, text(order, step), Map.of("order", order));
        }

        await().atMost(SOON).until(() -> handled(order).size() == 60);
        assertThat(handled(order).stream().map(step -> text(order, step)))
                .containsExactlyElementsOf(ArrivalBean.ACCEPTED.stream()
                        .filter(text -> text.contains(order))
                        .toList());
    }

    @Test
    void messageThatALaterOneHasOvertakenIsSetAsideAndNoneIsLost() {
        for (int step = 1; step <= 60; step++) {
            send(order, step);
        }

        await().atMost(SOON)
                .until(() -> stored(OutboxStatus.PUBLISHED).size()
                                + stored(OutboxStatus.ABANDONED).size()
                        == 60);
        assertThat(handled(order)).isSorted();
        assertThat(Stream.concat(
                        handled(order).stream().map(step -> order + "-" + step),
                        stored(OutboxStatus.ABANDONED).stream()
                                .map(late -> late.context().causationId())))
                .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, 60)
                        .mapToObj(step -> order + "-" + step)
                        .toList());
        assertThat(stored(OutboxStatus.ABANDONED))
                .allMatch(late -> late.delivery().lastError().startsWith("OBX-0472"));
    }

    @Test
    void applicationIsToldOfAMessageThatIsSetAside() {
        send(order, 2);
        await().atMost(SOON).until(() -> handled(order).contains(2));
        send(order, 1);

        await().atMost(SOON).until(() -> Arrivals.ABANDONED.contains(order + "-1"));
        assertThat(handled(order)).containsExactly(2);
    }

    private void send(String key, int step) {
        post.send("jms/arrivals", 1, text(key, step), properties(key, step));
    }

    private static Map<String, Object> properties(String key, int step) {
        return Map.of(
                "messageId", key + "-" + step, "eventType", "Arrived", "aggregateId", key, "sequence", (long) step);
    }

    private static String text(String key, int step) {
        return "{\"order\":\"" + key + "\",\"step\":" + step + "}";
    }

    /** The steps of an order, as they were handled. */
    private List<Integer> handled(String key) {
        return ledger.notes("arrivals", key + " %").stream()
                .map(note -> Integer.valueOf(note.substring(note.indexOf(' ') + 1)))
                .toList();
    }

    private int attempts() {
        return stored(OutboxStatus.FAILED).stream()
                .mapToInt(message -> message.delivery().attempts())
                .sum();
    }

    private List<OutboxMessage> stored(OutboxStatus status) {
        return outbox.find(
                OutboxFilter.all().withKey(order).withDestination("arrivals").withStatus(status));
    }
}
