package dev.cdioutbox.internal.dispatch.delivery;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.publish.DestinationPublisher;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.spi.OutboxPublisher.Sender;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Guards which messages of a transaction are sent, and what a failed send shows at once. */
class SendLoopTest {
    private final List<OutboxMessage> batch = IntStream.range(0, 10)
            .mapToObj(i -> TestMessages.stored(i, "key-" + i % 8, 0))
            .toList();
    private final FakeBroker broker = new FakeBroker();
    private final AtomicLong nanos = new AtomicLong();
    private BooleanSupplier stopping = () -> false;
    private boolean completed;
    private DatabaseClock clock = DatabaseClock.at(Instant.EPOCH);

    @ParameterizedTest
    @CsvSource({
        // The message 1 has the key of 9, and 2 is tried after it.
        "MESSAGE, true, 0 2 3 4 5 6 7 8, 1, , 9, SENT,",
        "UNKNOWN, true, 0 2 3 4 5 6 7 8, 1, , 9, MESSAGES_FAILED, UNKNOWN",
        "UNKNOWN, false, 0, , 1, 2, MESSAGES_FAILED, UNKNOWN",
        "DESTINATION, true, 0, , , 2, FAILED, DESTINATION",
        "DESTINATION_FULL, true, 0, , , 2, FULL, DESTINATION_FULL",
    })
    void failedSendShowsWhoIsToBlame(
            Blame blame, boolean answers, String sent, String failed, String suspect, int tried, End end, Blame cause) {
        broker.probeRefused = answers ? null : "away";
        broker.onComplete = all -> {
            completed = true;
            return Map.of();
        };
        broker.onSend = message -> {
            if (message.sequence() == 1) {
                throw FakeBroker.failure(blame);
            }
        };

        Attempt attempt = send(null);

        assertThat(names(attempt.sent())).isEqualTo(sent);
        assertThat(failed(attempt)).isEqualTo(failed);
        assertThat(suspect(attempt)).isEqualTo(suspect);
        assertThat(sends()).isEqualTo(tried);
        assertThat(attempt.end()).isEqualTo(end);
        assertThat(blame(attempt)).isEqualTo(cause);
        assertThat(completed)
                .as("a batch that has to roll back is not completed")
                .isEqualTo(end.mayCommit());
    }

    /** Otherwise the transaction would commit, although the broker may have a message that failed. */
    @ParameterizedTest
    @CsvSource({
        "MESSAGE DESTINATION_FULL, FULL, 1",
        "UNKNOWN DESTINATION_FULL, MESSAGES_FAILED, 0",
        "UNKNOWN UNKNOWN, MESSAGES_FAILED, 0",
        "UNKNOWN DESTINATION, FAILED, 1",
    })
    void fullDestinationHidesNoFailureOfUnknownOrigin(String blames, End end, int decisive) {
        List<PublishException> failures = Stream.of(blames.split(" "))
                .map(blame -> FakeBroker.failure(Blame.valueOf(blame)))
                .toList();

        broker.onSend = message -> {
            if (message.sequence() < failures.size()) {
                throw failures.get((int) message.sequence());
            }
        };

        Attempt attempt = send(null);

        assertThat(attempt.end()).isEqualTo(end);
        assertThat(attempt.failure()).isSameAs(failures.get(decisive));
    }

    @ParameterizedTest
    @CsvSource({
        "true, 0 2 3 5 6 7 9, 4 1 8,",
        // Without an answer, one message may have broken the connection, and the other failures may follow from it.
        "false, 0 1 2 3 5 6 7 8 9, 4, 1",
    })
    void completedBatchIsProbedOnceForAllUnclearFailures(boolean answers, String sent, String failed, String suspect) {
        broker.probeRefused = answers ? null : "away";
        broker.onComplete = all -> Map.of(
                batch.get(8), FakeBroker.failure(Blame.UNKNOWN),
                batch.get(1), FakeBroker.failure(Blame.UNKNOWN),
                batch.get(4), FakeBroker.failure(Blame.MESSAGE));

        Attempt attempt = send(null);

        assertThat(names(attempt.sent())).isEqualTo(sent);
        assertThat(failed(attempt)).isEqualTo(failed);
        assertThat(suspect(attempt)).isEqualTo(suspect);
        assertThat(attempt.end()).isEqualTo(End.MESSAGES_FAILED);
        assertThat(blame(attempt)).isEqualTo(Blame.UNKNOWN);
        assertThat(attempt.brokerIds()).isEmpty();
        assertThat(broker.probes).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource({
        "MESSAGE, COMMIT_REFUSED",
        "UNKNOWN, COMMIT_REFUSED",
        "DESTINATION, FAILED",
        "DESTINATION_FULL, TOO_MANY",
    })
    void batchThatFailsAsAWholeBlamesNoMessage(Blame blame, End end) {
        broker.onComplete = all -> {
            throw FakeBroker.failure(blame);
        };

        assertNobodyIsToBlame(send(null), end);
    }

    @Test
    void publisherThatCompletesABatchWithNonsenseBlamesNoMessage() {
        OutboxMessage stranger = TestMessages.stored(99, "key", 0);
        broker.onComplete = all -> Map.of(stranger, FakeBroker.failure(Blame.MESSAGE));
        assertNobodyIsToBlame(send(null), End.COMMIT_REFUSED);

        broker.onComplete = all -> null;
        assertNobodyIsToBlame(send(null), End.COMMIT_REFUSED);
    }

    private void assertNobodyIsToBlame(Attempt attempt, End end) {
        assertThat(attempt.end()).isEqualTo(end);
        assertThat(attempt.sent()).isEqualTo(batch);
        assertThat(attempt.failed()).isEmpty();
        assertThat(attempt.suspect()).isNull();
    }

    @Test
    void idsOfTheBrokerAreReadWhenTheBatchIsCompleted() {
        broker.idOf = message -> "broker-" + message.sequence();

        Attempt attempt = send(null, batch.subList(0, 2));

        assertThat(attempt.brokerIds()).containsOnlyKeys(0L, 1L);
    }

    /** The transport may have committed, so another try would deliver the batch twice. */
    @Test
    void idThatTheTransportCannotTellIsMissingAndTheBatchIsSent() {
        broker.idOf = message -> {
            if (message.sequence() == 0) {
                throw new IllegalStateException("no offset");
            }
            return "broker-" + message.sequence();
        };

        try (LogLines attemptged = new LogLines(BrokerIds.class.getName())) {
            Attempt attempt = send(null, batch.subList(0, 2));

            assertThat(attempt.end()).isEqualTo(End.SENT);
            assertThat(attempt.sent()).isEqualTo(batch.subList(0, 2));
            assertThat(attempt.brokerIds()).containsOnlyKeys(1L);
            assertThat(attemptged.all())
                    .singleElement()
                    .asString()
                    .startsWith("OBX-0440: ")
                    .contains("no offset");
        }
    }

    /** A rethrow would stop the destination, and charge no message. */
    @ParameterizedTest
    @MethodSource
    void publisherMayThrowAnythingAtTheCostOfOneMessage(Throwable bug) {
        broker.onSend = message -> {
            if (message.sequence() == 1 && bug instanceof Error error) {
                throw error;
            } else if (message.sequence() == 1) {
                throw (RuntimeException) bug;
            }
        };

        Attempt attempt = send(null);

        assertThat(names(attempt.sent())).isEqualTo("0 2 3 4 5 6 7 8");
        assertThat(attempt.failed().get(0).cause().blame()).isEqualTo(Blame.UNKNOWN);
        assertThat(FailureReason.of(attempt.failed().get(0).cause())).isEqualTo("bug");
    }

    static Stream<Throwable> publisherMayThrowAnythingAtTheCostOfOneMessage() {
        return Stream.of(
                new IllegalStateException("bug"),
                new AssertionError("bug"),
                new StackOverflowError("bug"),
                new OutOfMemoryError("bug"));
    }

    /** A missing class or native library fails each message, wherever the publisher meets it. */
    @ParameterizedTest
    @MethodSource
    void whatTheNodeCannotLoadIsChargedToNoMessage(Exception thrown, Error missing) {
        broker.onSend = message -> {
            if (message.sequence() == 1 && thrown instanceof PublishException failure) {
                throw failure;
            } else if (message.sequence() == 1) {
                throw missing;
            }
        };

        Attempt attempt = send(null);

        assertThat(attempt.end()).isEqualTo(End.FAILED);
        assertThat(blame(attempt)).isEqualTo(Blame.DESTINATION);
        assertThat(attempt.failure()).hasRootCause(missing);
        assertThat(attempt.failed()).isEmpty();
        assertThat(attempt.suspect()).isNull();
    }

    static Stream<Arguments> whatTheNodeCannotLoadIsChargedToNoMessage() {
        Error codec = new UnsatisfiedLinkError("no codec");
        return Stream.of(
                Arguments.of(null, new NoClassDefFoundError("shop/Codec")),
                Arguments.of(null, new ServiceConfigurationError("no provider")),
                Arguments.of(new PublishException(Blame.UNKNOWN, "refused", new IllegalStateException(codec)), codec));
    }

    @ParameterizedTest
    @CsvSource({
        // seconds for the connection and for each send, seconds that the transaction has, messages that are sent
        "0, 0, , 10",
        "0, 2, , 3",
        "0, 1, 5, 3",
        "10, 0, , 10",
        "10, 0, 120, 10",
        // A connection that is slow each time would leave no time for any message.
        "10, 0, 12, 1",
    })
    void sendsEndAfterFiveSecondsOrHalfOfTheTransactionsTime(int open, int each, Integer timeLeft, int sent) {
        broker.onOpen = () -> nanos.addAndGet(Duration.ofSeconds(open).toNanos());
        broker.onSend = message -> nanos.addAndGet(Duration.ofSeconds(each).toNanos());

        Attempt attempt = send(timeLeft == null ? null : Duration.ofSeconds(timeLeft));

        assertThat(attempt.sent()).isEqualTo(batch.subList(0, sent));
        assertThat(sends()).isEqualTo(sent);
    }

    @Test
    void sendsEndWithTheApplicationAndKeepWhatWasSent() {
        stopping = () -> sends() >= 2;

        assertThat(send(null).sent()).isEqualTo(batch.subList(0, 2));
    }

    /** The sends of other messages of the batch take time after the read. */
    @ParameterizedTest
    @CsvSource({"0, true", "60, false"})
    void whatExpiresWhileItsBatchIsSentIsNotSent(int secondsLeft, boolean isExpired) {
        Instant end = Instant.parse("2030-06-01T12:00:00Z");
        clock = DatabaseClock.at(end.minusSeconds(secondsLeft));
        OutboxMessage plain = batch.get(0);
        OutboxMessage message = new StoredMessage(
                plain.sequence(),
                plain.id(),
                plain.event(),
                plain.body(),
                plain.context(),
                new StoredMessage.Terms(null, end, Duration.ofHours(1), null),
                plain.delivery(),
                plain.occurredAt(),
                plain.createdAt());

        Attempt attempt = send(null, List.of(message));

        assertThat(isExpired ? attempt.expired() : attempt.sent()).containsExactly(message);
        assertThat(broker.sends).hasSize(isExpired ? 0 : 1);
    }

    /** Otherwise the exception would hide which messages are at fault, and they would be sent for ever. */
    @Test
    void senderThatCannotBeClosedHidesNoMessageAtFault() {
        broker.onClose = () -> {
            throw new IllegalStateException("cannot be closed");
        };
        broker.onSend = message -> {
            throw FakeBroker.failure(Blame.MESSAGE);
        };

        Attempt attempt = send(null);

        assertThat(attempt.failed()).hasSize(8);
        assertThat(attempt.failure()).hasRootCauseMessage("cannot be closed");
    }

    /** An operator has to read that there is no room, and not what follows from it. */
    @ParameterizedTest
    @CsvSource({"true, FAILED", "false, COMMIT_REFUSED"})
    void whatFailsAfterAFullDestinationHidesNotThatItIsFull(boolean atClose, End end) {
        broker.onSend = message -> {
            if (message.sequence() == 1) {
                throw FakeBroker.failure(Blame.DESTINATION_FULL);
            }
        };
        if (atClose) {
            broker.onClose = () -> {
                throw new IllegalStateException("cannot be closed");
            };
        } else {
            broker.onComplete = all -> {
                throw FakeBroker.failure(Blame.UNKNOWN);
            };
        }

        Attempt attempt = send(null);

        assertThat(attempt.end()).isEqualTo(end);
        assertThat(blame(attempt)).isEqualTo(Blame.DESTINATION_FULL);
        assertThat(attempt.failure().getSuppressed()).hasSize(1);
    }

    /** Otherwise a message that breaks its connection is never charged, and stops the destination for ever. */
    @Test
    void senderThatCannotBeClosedHidesNoSuspect() {
        broker.onClose = () -> {
            throw new IllegalStateException("the connection is broken");
        };
        broker.probeRefused = "away";
        broker.onSend = message -> {
            throw FakeBroker.failure(Blame.UNKNOWN);
        };

        Attempt attempt = send(null);

        assertThat(suspect(attempt)).isEqualTo("0");
        assertThat(attempt.end()).isEqualTo(End.MESSAGES_FAILED);
        assertThat(blame(attempt)).isEqualTo(Blame.UNKNOWN);
    }

    @Test
    void errorOfTheSenderItselfIsAFailureOfTheDestination() {
        Attempt attempt = send(null, batch, publisher -> {
            throw new NoClassDefFoundError("a client");
        });

        assertThat(attempt.end()).isEqualTo(End.FAILED);
        assertThat(blame(attempt)).isEqualTo(Blame.DESTINATION);
    }

    private Attempt send(Duration timeLeft) {
        return send(timeLeft, batch);
    }

    private Attempt send(Duration timeLeft, List<OutboxMessage> messages) {
        return send(timeLeft, messages, DestinationPublisher::open);
    }

    private interface Opening {
        Sender open(DestinationPublisher publisher) throws PublishException;
    }

    private Attempt send(Duration timeLeft, List<OutboxMessage> messages, Opening opening) {
        OutboxConfig config = DispatchScene.config();
        Environment environment = new Environment(null, List.of(), () -> stopping.getAsBoolean(), nanos::get);
        DestinationPublisher publisher =
                DestinationPublisher.of(Map.of("jms", broker), ofDefaultOutbox(TestMessages.DESTINATION), config);
        return new SendLoop(environment, publisher, () -> opening.open(publisher), clock).send(messages, timeLeft);
    }

    private int sends() {
        return broker.sends.values().stream().mapToInt(Integer::intValue).sum();
    }

    private static Blame blame(Attempt attempt) {
        return attempt.failure() instanceof PublishException failure ? failure.blame() : null;
    }

    private static String failed(Attempt attempt) {
        return names(attempt.failed().stream().map(Failure::message).toList());
    }

    private static String suspect(Attempt attempt) {
        return attempt.suspect() == null
                ? null
                : names(List.of(attempt.suspect().message()));
    }

    private static String names(List<OutboxMessage> messages) {
        return messages.isEmpty()
                ? null
                : messages.stream().map(m -> String.valueOf(m.sequence())).collect(Collectors.joining(" "));
    }
}
