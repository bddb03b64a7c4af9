package dev.cdioutbox.tests.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An operator can pause, discard and replay while the dispatcher runs. */
@ExtendWith(ArquillianExtension.class)
class OperationsIT {
    private static final Duration SOON = Duration.ofMinutes(4);

    @Inject
    Shop shop;

    @Inject
    OutboxOperations outbox;

    private final String order = UUID.randomUUID().toString();
    private final OutboxFilter mine = OutboxFilter.all().withKey(order);

    @Deployment
    static WebArchive tests() {
        return Deployments.tests("outbox.dispatcher.interval=PT1S");
    }

    @Test
    void nothingIsSentToAPausedDestinationUntilItIsResumed() {
        assertThat(outbox.pause("default")).isTrue();
        try {
            shop.ship(order, 1);
            String other = UUID.randomUUID().toString();
            shop.park(other);
            assertThat(outbox.status().paused()).containsExactly("default");
            assertThat(stored()).extracting(m -> m.delivery().status()).containsExactly(OutboxStatus.PENDING);
        } finally {
            assertThat(outbox.resume("default")).isTrue();
        }
        await().atMost(SOON).until(() -> ReceiverBean.of(order).size() == 1);
        assertThatThrownBy(() -> outbox.pause("nowhere")).hasMessageStartingWith("OBX-0601");
    }

    @Test
    void discardedMessageIsNeverSentAndComesBackByAReplay() {
        shop.park(order);
        assertThat(outbox.discard(mine, OutboxPageRequest.of(100)).changed()).isEqualTo(1);
        assertThat(outbox.discard(mine, OutboxPageRequest.of(100)).changed()).isZero();
        assertThat(stored()).extracting(m -> m.delivery().status()).containsExactly(OutboxStatus.DISCARDED);

        assertThat(outbox.replay(mine, OutboxPageRequest.of(100)).changed()).isEqualTo(1);
        assertThat(stored()).extracting(m -> m.delivery().status()).containsExactly(OutboxStatus.PENDING);
    }

    @Test
    void replayedMessageArrivesTwiceWithOneIdAndItsCopyWithAnother() {
        shop.ship(order, 1);
        awaitPublished(1);

        assertThat(outbox.replay(mine, OutboxPageRequest.of(100)).changed()).isEqualTo(1);
        await().atMost(SOON).until(() -> ReceiverBean.of(order).size() == 2);
        awaitPublished(1);
        assertThat(ReceiverBean.of(order).get(1).property("messageId"))
                .isEqualTo(ReceiverBean.of(order).get(0).property("messageId"));

        assertThat(outbox.replayAsNew(mine, OutboxPageRequest.of(100)).changed())
                .isEqualTo(1);
        await().atMost(SOON).until(() -> ReceiverBean.of(order).size() == 3);
        Received copy = ReceiverBean.of(order).get(2);
        assertThat(copy.property("messageId"))
                .isNotEqualTo(ReceiverBean.of(order).get(0).property("messageId"));
        assertThat(copy.property("causationId"))
                .isEqualTo(ReceiverBean.of(order).get(0).property("messageId"));
        assertThat(copy.text()).isEqualTo(ReceiverBean.of(order).get(0).text());
    }

    /** Nothing is sent to this destination, which no other test would notice. */
    @Test
    void doctorFindsTheDestinationThatNoServerXmlDefines() {
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(outbox.diagnose()).singleElement().satisfies(finding -> {
                            assertThat(finding.code()).isEqualTo("OBX-0401");
                            assertThat(finding.text())
                                    .startsWith("destination 'absent': delivery failed")
                                    .contains("OBX-0501", "jms/absent");
                        }));
    }

    private void awaitPublished(int messages) {
        await().atMost(SOON)
                .until(() -> stored().stream()
                                .filter(m -> m.delivery().status() == OutboxStatus.PUBLISHED)
                                .count()
                        == messages);
    }

    private List<OutboxMessage> stored() {
        return outbox.find(mine);
    }
}
