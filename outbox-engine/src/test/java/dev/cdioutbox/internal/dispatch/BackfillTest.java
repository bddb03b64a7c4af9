package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.change;
import static dev.cdioutbox.internal.store.TestMessages.context;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.payload;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.UuidV7;
import dev.cdioutbox.internal.store.operate.BackfillTable;
import dev.cdioutbox.internal.store.operate.MessageFinder;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxBackfill;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A destination gets the kept messages of another one, before what is fired since, once, and in their order. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackfillTest extends StoreContract {
    private static final String SOURCE = TestMessages.DESTINATION;
    private static final String TARGET = "billing";
    private static final String PARTNER = "partner";
    private static final String TYPE = "OrderPlaced";

    @AutoClose
    private final DispatchScene scene = new DispatchScene(
            database,
            "outbox.partitions",
            "4",
            "outbox.dispatcher.batch-size",
            "10",
            "outbox.retry.max-attempts",
            "1",
            "outbox.retry.on-abandon",
            "block",
            "outbox.destinations.billing.jndi",
            "jms/billing",
            "outbox.destinations.partner.jndi",
            "jms/partner",
            "outbox.destinations.partner.external",
            "true");

    private final BackfillTable backfills = scene.store.backfills();
    private final Dispatcher other = scene.dispatcher("node-2");

    BackfillTest(Database kind) {
        super(kind);
    }

    @Test
    void copiesComeBeforeWhatIsFiredSinceOnceAndInTheOrderOfTheirKeys() {
        fire(0, 100, SOURCE);
        start(TARGET);

        List<CompletableFuture<?>> threads = new ArrayList<>();
        for (int writer = 0; writer < 3; writer++) {
            int keys = writer;
            threads.add(CompletableFuture.runAsync(() -> IntStream.range(100, 160)
                    .filter(number -> number % 10 % 3 == keys)
                    .forEach(number -> fire(number, 1, SOURCE, TARGET))));
        }
        Stream.of(scene.dispatcher, other)
                .forEach(node -> threads.add(CompletableFuture.runAsync(() -> untilTheEnd(node, TARGET))));
        threads.forEach(CompletableFuture::join);
        run(scene.dispatcher, TARGET);

        List<OutboxMessage> sent = scene.broker.delivered;
        assertThat(sent).hasSize(160);
        Map<String, List<OutboxMessage>> ofKeys = sent.stream()
                .collect(Collectors.groupingBy(message -> message.event().key()));
        assertThat(ofKeys.values()).allSatisfy(ofKey -> {
            assertThat(ofKey.stream().map(BackfillTest::number)).isSorted().doesNotHaveDuplicates();
            assertThat(ofKey.stream().map(BackfillTest::sentSequence)).isSorted();
        });
        assertThat(progress(TARGET).copied() + progress(TARGET).present()).isBetween(100, 160);
    }

    /** The transaction that fails has already inserted copies, which are not seen again. */
    @Test
    void copyingGoesOnWhereItFailed() {
        fire(0, 120, SOURCE);
        start(TARGET);
        scene.dispatcher.refreshBacklog();
        database.update(
                "ALTER TABLE shop_message ADD CONSTRAINT fails CHECK (destination <> 'billing' OR payload <> '70')");
        assertThat(scene.dispatcher.backfill()).isFalse();
        database.update("ALTER TABLE shop_message DROP CONSTRAINT fails");
        assertThat(progress(TARGET).copied()).isEqualTo(50);

        untilTheEnd(other, TARGET);

        assertThat(scene.broker.delivered).hasSize(120);
        assertThat(scene.broker.texts()).doesNotHaveDuplicates();
        assertThat(progress(TARGET).copied()).isEqualTo(120);
    }

    @Test
    void pauseOfTheDestinationPausesItsBackfill() {
        fire(0, 3, SOURCE);
        start(TARGET);
        scene.store.operations().pause(TARGET, true, "operator");

        step(scene.dispatcher, TARGET);
        assertThat(progress(TARGET).copied()).isZero();

        scene.store.operations().pause(TARGET, false, "operator");
        untilTheEnd(scene.dispatcher, TARGET);
        assertThat(scene.broker.delivered).hasSize(3);
    }

    @Test
    void destinationThatIsBeingBackfilledCountsAsPaused() {
        assertThat(scene.store.status().backlog().paused()).isEmpty();

        start(TARGET);

        assertThat(scene.store.status().backlog().paused()).containsExactly(TARGET);
    }

    @Test
    void bytesAreCopied() {
        OutboxPayload bytes = OutboxPayload.binary(new byte[] {0, -1});
        scene.write(List.of(payload(message(TYPE, "k", "", SOURCE), bytes)));
        start(TARGET);

        untilTheEnd(scene.dispatcher, TARGET);

        assertThat(scene.broker.delivered)
                .extracting(copy -> copy.body().payload())
                .containsExactly(bytes);
    }

    @Test
    void messagesThatNobodyMayGetAnyMoreAreSkipped() {
        fire(0, 5, SOURCE);
        database.settle(OutboxStatus.EXPIRED, "payload = '0'");
        database.settle(OutboxStatus.DISCARDED, "payload = '1'");
        database.settle(OutboxStatus.PUBLISHED, "payload = '2'");
        database.update("UPDATE shop_message SET payload = NULL WHERE payload = '2'");
        scene.write(List.of(terms(message("k", "late"), new NewMessage.Terms(null, Duration.ZERO, null))));
        scene.write(List.of(message("Other", "k", "another type", SOURCE)));
        scene.write(List.of(message(TYPE, "k", "another destination", PARTNER)));
        fire(5, 1, SOURCE, TARGET);
        start(TARGET);

        try (LogLines log = new LogLines(BackfillTask.class.getName())) {
            untilTheEnd(scene.dispatcher, TARGET);
            assertThat(log.all()).singleElement(STRING).startsWith("OBX-0606: ");
        }

        assertThat(scene.broker.texts()).containsExactlyInAnyOrder("3", "4", "5");
        assertThat(backfills.all())
                .extracting(OutboxBackfill::copied, OutboxBackfill::present, OutboxBackfill::skipped)
                .containsExactly(tuple(2, 1, 4));
    }

    @Test
    void messagesFromBeforeItsTimeAndAfterItsStartStay() {
        fire(0, 2, SOURCE);
        database.setTime("message", "created_at", Instant.now().minus(Duration.ofDays(3)), "payload = '0'");
        backfills.start(TARGET, SOURCE, TYPE, Instant.now().minus(Duration.ofDays(1)));
        backfills.copyNext(TARGET, false);
        fire(2, 1, SOURCE);

        untilTheEnd(scene.dispatcher, TARGET);

        assertThat(scene.broker.texts()).containsExactly("1");
    }

    /** Also: a copy keeps its own time to live. */
    @Test
    void secondBackfillCopiesOnlyWhatIsMissing() {
        fire(0, 3, SOURCE);
        start(TARGET);
        untilTheEnd(scene.dispatcher, TARGET);
        fire(3, 2, SOURCE);
        start(TARGET);

        untilTheEnd(scene.dispatcher, TARGET);

        assertThat(scene.broker.texts()).containsExactlyInAnyOrder("0", "1", "2", "3", "4");
        assertThat(progress(TARGET).present()).isEqualTo(3);
    }

    @Test
    void cancelledBackfillSendsWhatItHasCopiedAndThenTheNewerOnes() {
        fire(0, 120, SOURCE);
        start(TARGET);
        backfills.copyNext(TARGET, false);
        backfills.copyNext(TARGET, false);
        fire(120, 1, SOURCE, TARGET);
        run(scene.dispatcher, TARGET);
        assertThat(scene.broker.delivered).hasSize(50);

        assertThat(backfills.cancel(TARGET)).isTrue();
        assertThat(backfills.cancel(TARGET)).isFalse();
        untilTheEnd(scene.dispatcher, TARGET);
        run(scene.dispatcher, TARGET);

        assertThat(scene.broker.texts()).hasSize(51).endsWith("120");
    }

    @Test
    void destinationWaitsForAnOperatorWhileACopyBlocksItsKey() {
        scene.broker.onSend = message -> {
            if (message.body().text().equals("0")) {
                throw FakeBroker.failure(Blame.MESSAGE);
            }
        };
        fire(0, 11, SOURCE);
        start(TARGET);
        step(scene.dispatcher, TARGET);
        fire(11, 1, SOURCE, TARGET);
        step(scene.dispatcher, TARGET);
        assertThat(progress(TARGET).isRunning()).isTrue();
        assertThat(scene.broker.texts()).doesNotContain("0", "10", "11");

        change(scene.store, MessageOperation.DISCARD, OutboxFilter.all().withStatus(OutboxStatus.ABANDONED));
        untilTheEnd(scene.dispatcher, TARGET);
        run(scene.dispatcher, TARGET);

        assertThat(scene.broker.texts()).endsWith("10", "11");
    }

    @Test
    void externalDestinationSeesNothingInternal() {
        Context internal = new Context("correlation", "causation", "tenant", Map.of("secret", "1"));
        scene.write(List.of(context(message("k", "internal"), internal)));
        start(PARTNER);
        untilTheEnd(scene.dispatcher, PARTNER);
        start(TARGET);
        untilTheEnd(scene.dispatcher, TARGET);

        long original = database.sequence("internal");
        assertThat(scene.broker.delivered)
                .extracting(OutboxMessage::context)
                .containsExactly(
                        new Context(null, null, null, Map.of(), true, original, null),
                        new Context(
                                "correlation", "causation", "tenant", Map.of("secret", "1"), false, original, null));
    }

    @Test
    void eventThatWasSentAsNewIsGivenOnce() {
        fire(0, 1, SOURCE);
        fire(1, 1, SOURCE);
        database.settle(OutboxStatus.PUBLISHED, "payload = '0'");
        database.settle(OutboxStatus.DISCARDED, "payload = '1'");
        sendAsNew();
        database.settle(OutboxStatus.PUBLISHED, "1 = 1");
        sendAsNew();
        start(TARGET);

        untilTheEnd(scene.dispatcher, TARGET);

        assertThat(scene.broker.texts()).containsExactlyInAnyOrder("0", "1");
        assertThat(backfills.all())
                .extracting(OutboxBackfill::copied, OutboxBackfill::present, OutboxBackfill::skipped)
                .containsExactly(tuple(2, 5, 1));
    }

    private void sendAsNew() {
        MessageFinder finder = scene.store.finder();
        List<Long> settled =
                finder.candidates(MessageOperation.REPLAY_AS_NEW, OutboxFilter.all(), OutboxPageRequest.of(100));
        scene.write(finder.find(settled).stream().map(BackfillTest::copy).toList());
    }

    private static NewMessage copy(OutboxMessage original) {
        return NewMessage.copyOf(
                original,
                UuidV7.next(System.currentTimeMillis()),
                original.delivery().destination(),
                original.context().headers());
    }

    /** While a new version is being deployed, old nodes store events for the source alone. */
    @Test
    void whatWaitsInTheDestinationComesAfterTheCopyOfAnOlderEvent() {
        fire(0, 1, SOURCE);
        fire(10, 1, SOURCE, TARGET);
        fire(20, 1, SOURCE);
        fire(30, 1, SOURCE, TARGET);
        start(TARGET);
        fire(40, 1, SOURCE, TARGET);

        untilTheEnd(scene.dispatcher, TARGET);
        run(scene.dispatcher, TARGET);

        assertThat(scene.broker.texts()).containsExactly("0", "10", "20", "30", "40");
        assertThat(scene.broker.delivered)
                .extracting(BackfillTest::sentSequence)
                .isSorted();
        assertThat(backfills.all())
                .extracting(OutboxBackfill::copied, OutboxBackfill::present)
                .containsExactly(tuple(2, 3));
    }

    @Test
    void whatWaitsInTheDestinationStaysAsItIs() {
        UUID event = UuidV7.next(System.currentTimeMillis());
        Context own = new Context(null, null, null, Map.of("region", "eu"), true);
        scene.write(List.of(
                of(event, message(TYPE, "k", "internal", SOURCE)),
                of(event, context(message(TYPE, "k", "external", PARTNER), own))));
        long sequence = database.sequence("external");
        start(PARTNER);

        untilTheEnd(scene.dispatcher, PARTNER);

        assertThat(scene.broker.delivered).singleElement().satisfies(message -> {
            assertThat(message.id()).isEqualTo(UuidV7.within(event, PARTNER));
            assertThat(message.body().text()).isEqualTo("external");
            assertThat(message.context())
                    .isEqualTo(new Context(null, null, null, Map.of("region", "eu"), true, sequence, null));
        });
    }

    /** Otherwise its settlement would not find the row that has moved. */
    @Test
    void copyingWaitsForABatchInFlight() {
        fire(0, 1, SOURCE, TARGET);
        scene.broker.onSend = message -> {
            scene.broker.onSend = later -> {};
            start(TARGET);
            backfills.copyNext(TARGET, false);
            assertThat(backfills.copyNext(TARGET, false)).isNull();
        };

        run(scene.dispatcher, TARGET);
        untilTheEnd(scene.dispatcher, TARGET);

        assertThat(scene.broker.texts()).containsExactly("0");
    }

    @Test
    void backfillGoesOnInPartitionsThatWerePutBack() {
        fire(0, 5, SOURCE);
        start(TARGET);
        backfills.copyNext(TARGET, false);
        backfills.copyNext(TARGET, false);
        fire(5, 1, SOURCE, TARGET);
        database.update("DELETE FROM shop_partition WHERE destination = 'billing'");

        assertThat(scene.store.problem()).isNull();
        assertThat(backfills.copyNext(TARGET, false).isRunning()).isTrue();
        untilTheEnd(scene.dispatcher, TARGET);
        run(scene.dispatcher, TARGET);

        assertThat(scene.broker.texts()).hasSize(6).endsWith("5");
    }

    /** A copy comes later in its table than in the order of its key, so a backfill from it would change the order. */
    @Test
    void copiesAreNotCopiedAgain() {
        fire(0, 3, SOURCE);
        start(TARGET);
        untilTheEnd(scene.dispatcher, TARGET);

        backfills.start(PARTNER, TARGET, TYPE, Instant.EPOCH);
        untilTheEnd(scene.dispatcher, PARTNER);

        assertThat(progress(PARTNER).skipped()).isEqualTo(3);
    }

    @Test
    void oneBackfillOfADestinationRunsAtATime() {
        assertThat(backfills.start(TARGET, SOURCE, TYPE, Instant.EPOCH)).isTrue();
        assertThat(backfills.start(TARGET, PARTNER, TYPE, Instant.EPOCH)).isFalse();

        assertThat(progress(TARGET).source()).isEqualTo(SOURCE);
    }

    /** Events with successive numbers, which are their texts; of ten keys. */
    private void fire(int first, int count, String... destinations) {
        scene.write(IntStream.range(first, first + count)
                .boxed()
                .flatMap(number -> event(number, destinations))
                .toList());
    }

    private static Stream<NewMessage> event(int number, String... destinations) {
        UUID event = UuidV7.next(System.currentTimeMillis());
        return Stream.of(destinations)
                .map(destination ->
                        of(event, message(TYPE, "key-" + number % 10, String.valueOf(number), destination)));
    }

    /** A message with the id that it has as a part of an event. */
    private static NewMessage of(UUID event, NewMessage one) {
        return new NewMessage(
                UuidV7.within(event, one.destination()),
                one.event(),
                one.body(),
                one.context(),
                one.terms(),
                one.destination(),
                one.occurredAt());
    }

    private void start(String destination) {
        backfills.start(destination, SOURCE, TYPE, Instant.EPOCH);
    }

    private OutboxBackfill progress(String destination) {
        return backfills.all().stream()
                .filter(backfill -> backfill.destination().equals(destination))
                .findFirst()
                .orElseThrow();
    }

    private void untilTheEnd(Dispatcher node, String destination) {
        while (progress(destination).isRunning()) {
            step(node, destination);
        }
    }

    private static void step(Dispatcher node, String destination) {
        node.refreshBacklog();
        node.backfill();
        run(node, destination);
    }

    private static void run(Dispatcher node, String destination) {
        assertThat(node.workers().get(destination).poll()).isNull();
    }

    private static int number(OutboxMessage message) {
        return Integer.parseInt(message.body().text());
    }

    private static long sentSequence(OutboxMessage message) {
        Long origin = message.context().originSequence();
        return origin == null ? message.sequence() : origin;
    }
}
