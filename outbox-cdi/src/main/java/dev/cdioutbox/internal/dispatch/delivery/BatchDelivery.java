package dev.cdioutbox.internal.dispatch.delivery;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongPredicate;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.dispatch.container.TransactionTimedOutException;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.Claim.Lease;
import dev.cdioutbox.internal.store.DatabaseClock;
import dev.cdioutbox.internal.store.Retry;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * Publishes one batch and settles it. Exactly-once uses one transaction for both steps, at-least-once uses two. After
 * a failure, decides by a probe whether the message or the destination is to blame, charges the message, and delivers
 * the rest in one transaction or in halves. Ends sends before the transaction's time-out, and skips messages whose
 * time to live is over.
 */
public final class BatchDelivery {
    private static final Logger LOG = Logger.getLogger(BatchDelivery.class.getName());

    /** A stopping server waits for the attempt, and the rows stay locked meanwhile. */
    private static final Duration MAX_SEND_TIME = Duration.ofSeconds(5);

    /** An attempt and a second one without the failed messages. The partitions of a claim wait no longer than this. */
    private static final Duration MAX_BATCH_SEND_TIME = MAX_SEND_TIME.multipliedBy(2);

    /**
     * How often the commit of one message alone must fail before the message is charged. A database with SERIALIZABLE, or
     * with too few prepared transactions, refuses commits at random.
     */
    private static final int FAILED_COMMITS = 3;

    /** Sending may take 1/TIME_SHARE of the transaction's time; the rest is for the settlement. */
    private static final int TIME_SHARE = 2;

    private final Environment environment;
    private final String destination;
    private final String label;
    /** The destination that really gets the messages: the shadow destination, if there is one. */
    private final String target;

    private final OutboxConfig config;
    private final DatabaseClock clock;
    private final Lease lease;
    private final List<OutboxMessage> batch;
    private final Set<Long> settled = new HashSet<>();
    final Map<Long, Failure> failed = new LinkedHashMap<>();
    private final Set<Long> charged = new HashSet<>();
    /** The number of failed commits of one message alone, by its sequence. */
    private final Map<Long, Integer> failedCommits = new HashMap<>();

    private PublishException destinationFull;
    private boolean commitIncomplete;
    private boolean isBisected;
    private long sendNanos;

    /**
     * @param clock the database's clock, for the times in notifications and for messages that expire
     * @param lease the lease of the claim; null for a claim by lock
     * @param batch the messages; each key in order and without a gap
     */
    public BatchDelivery(
            Environment environment,
            String destination,
            OutboxConfig config,
            DatabaseClock clock,
            Lease lease,
            List<OutboxMessage> batch) {
        this.environment = environment;
        this.destination = destination;
        label = config.label(destination);
        target = config.dispatcher().targetOf(destination);
        this.config = config;
        this.clock = clock;
        this.lease = lease;
        this.batch = batch;
    }

    /** A delivery of some messages of this batch. */
    public BatchDelivery of(List<OutboxMessage> some) {
        return new BatchDelivery(environment, destination, config, clock, lease, some);
    }

    public String destination() {
        return destination;
    }

    public OutboxConfig config() {
        return config;
    }

    public List<OutboxMessage> batch() {
        return batch;
    }

    private Guarantee guarantee() {
        return config.dispatcher().delivery();
    }

    /** A failed message with the cause. */
    public record Failure(OutboxMessage message, PublishException cause) {}

    /** Settles failed and unreadable messages without a send, in a new transaction. */
    public void charge(List<Failure> failures, Map<Long, String> unreadable) throws Exception {
        if (!failures.isEmpty() || !unreadable.isEmpty()) {
            Attempt attempt = new Attempt(List.of());
            environment.inNew(() -> attempt.settle(failures, unreadable));
            attempt.notifyListeners();
        }
    }

    /**
     * Delivers the batch, in as many transactions as its failures need.
     *
     * @return the first message left for another batch; null if there is none
     * @throws Exception if the destination or the database is to blame; earlier commits of this batch remain
     */
    public OutboxMessage deliver() throws Exception {
        try {
            send(batch);
            if (destinationFull != null) {
                throw destinationFull;
            }
        } catch (Exception e) {
            try {
                chargeFailed();
            } catch (Exception another) {
                e.addSuppressed(another);
            }
            throw e;
        }
        chargeFailed();
        return firstLeft();
    }

    /** Whether each message is published or expired, or was discarded by an operator. */
    public boolean isSettled() {
        return settled.size() == batch.size();
    }

    /** The first unsettled message that has not failed and waits for no failed one; null if there is none. */
    private OutboxMessage firstLeft() {
        return commitIncomplete
                ? null
                : withoutGaps(sequence -> !failed.containsKey(sequence)).stream()
                        .findFirst()
                        .orElse(null);
    }

    /**
     * Sends messages in one transaction. After a failure, this method calls itself, until each transaction has
     * committed. The recursion ends, since each call has fewer messages than the one before: it leaves out a failed or
     * discarded message, or takes half of them. Only a single message is sent again, a few times.
     */
    private void send(List<OutboxMessage> some) throws Exception {
        Set<Long> wanted = sequences(some);
        List<OutboxMessage> messages =
                withoutGaps(sequence -> wanted.contains(sequence) && !failed.containsKey(sequence));
        if (messages.isEmpty() || environment.isStopping() && !settled.isEmpty()) {
            return;
        }
        Attempt attempt = new Attempt(messages);
        try {
            environment.inNew(() -> sendAndSettle(attempt));
        } catch (Exception e) {
            recover(attempt, messages, e);
            return;
        }
        if (guarantee() == Guarantee.AT_LEAST_ONCE) {
            environment.inNew(() -> settle(attempt));
        }
        settled.addAll(sequences(attempt.through));
        attempt.charges.forEach(charge -> charged.add(charge.message().sequence()));
        attempt.notifyListeners();
    }

    private void sendAndSettle(Attempt attempt) throws Exception {
        attempt.send(environment.transactions().timeLeft());
        // Sending first makes the broker's branch commit first. If the database's branch committed first, its row
        // locks would be free while the message is only prepared. A lost transaction log would then lose the message.
        if (guarantee() == Guarantee.EXACTLY_ONCE) {
            settle(attempt);
            if (!attempt.changes.discarded().isEmpty()) {
                // The rollback keeps the discarded messages from consumers. Without the rollback, later messages of
                // the key could overtake them after a lost claim.
                throw new IllegalStateException("an operator discarded messages while they were sent");
            }
        }
        attempt.isReadyToCommit = true;
    }

    private void settle(Attempt attempt) {
        attempt.settle(chargeable(sequences(attempt.through)), Map.of());
    }

    /** A time-out comes first: it may have interrupted any of the steps that the other cases ask for. */
    private void recover(Attempt attempt, List<OutboxMessage> messages, Exception e) throws Exception {
        if (TransactionTimedOutException.isCauseOf(e) && attempt.through.size() > 1) {
            // Fewer messages take less time. No message is charged: the broker or the database is slow.
            sendInHalves(attempt.through, e);
        } else if (TransactionTimedOutException.isCauseOf(e)) {
            throw e;
        } else if (attempt.isReadyToCommit) {
            commitFailed(attempt, messages, e);
        } else if (!attempt.changes.discarded().isEmpty()) {
            settled.addAll(attempt.changes.discarded());
            // The next attempt may find room.
            destinationFull = null;
            send(messages);
        } else if (attempt.mustRollBack) {
            sendFailed(attempt, e);
        } else {
            throw e;
        }
    }

    /** The transaction is rolled back, since the broker may have a message that failed. */
    private void sendFailed(Attempt attempt, Exception e) throws Exception {
        if (attempt.suspect != null) {
            // Did the message break its connection, or is the destination away?
            try {
                environment.probeInNew(target, guarantee());
            } catch (Exception ill) {
                e.addSuppressed(ill);
                throw e;
            }
            failed.put(attempt.suspect.message().sequence(), attempt.suspect);
        }
        if (isLate()) {
            // Other messages fail in each attempt, so the messages are not to blame.
            throw e;
        }
        send(attempt.through);
        if (mayContinue()) {
            send(attempt.untried);
        }
    }

    /**
     * Some providers refuse a message only at the commit. Bisection finds that message. Before each further step, a probe
     * must commit the same transaction without the messages: a database may refuse commits, too.
     */
    private void commitFailed(Attempt attempt, List<OutboxMessage> messages, Exception e) throws Exception {
        inspectFailedCommit(messages, e);
        if (commitIncomplete) {
            return;
        }
        List<OutboxMessage> through = attempt.through;
        if (through.isEmpty()) {
            throw e;
        }
        try {
            environment.probeInNew(target, guarantee());
        } catch (Exception ill) {
            ill.addSuppressed(e);
            throw ill;
        }
        if (through.size() > 1) {
            sendInHalves(through, e);
            return;
        }
        OutboxMessage message = through.get(0);
        int commits = failedCommits.merge(message.sequence(), 1, Integer::sum);
        // Although the time may be over: a slow next claim would come no further with this message.
        if (commits < FAILED_COMMITS) {
            send(through);
            return;
        }
        PublishException cause = new PublishException(
                Blame.UNKNOWN, "the commit of this message alone failed, and that of a probe did not", e);
        failed.put(message.sequence(), new Failure(message, cause));
    }

    /** Once for a batch. */
    private void reportSplit(int messages, Exception e) {
        if (!isBisected) {
            isBisected = true;
            LOG.warning(Problem.BATCH_SPLIT.text(label, messages, Problem.reason(e)));
        }
    }

    private void sendInHalves(List<OutboxMessage> messages, Exception e) throws Exception {
        reportSplit(messages.size(), e);
        int middle = messages.size() / 2;
        send(messages.subList(0, middle));
        if (mayContinue()) {
            send(messages.subList(middle, messages.size()));
        }
    }

    /**
     * Finds out what a failed commit has left, and reports anything but a rollback. If a branch was unreachable, the
     * transaction manager completes that branch later, and the next claim reads the unsettled messages.
     */
    private void inspectFailedCommit(List<OutboxMessage> messages, Exception e) {
        // Also if the rows cannot be read: then nothing is charged.
        commitIncomplete = true;
        CommitOutcome outcome = readOutcome(messages, e);
        String reason = Problem.reason(e);
        if (outcome.inDoubt() > 0) {
            LOG.warning(Problem.COMMIT_IN_DOUBT.text(label, outcome.inDoubt(), reason));
        }
        if (outcome.settled() > 0) {
            LOG.warning(Problem.COMMITTED_WITHOUT_BROKER.text(label, outcome.settled(), reason));
        }
        commitIncomplete = !outcome.isRollback();
        if (commitIncomplete) {
            environment.notifyEach(l -> l.commitIncomplete(label, outcome.settled(), outcome.inDoubt()));
        }
    }

    private CommitOutcome readOutcome(List<OutboxMessage> messages, Exception e) {
        if (guarantee() == Guarantee.AT_LEAST_ONCE) {
            // The transaction of the sends has no branch in the database.
            return new CommitOutcome(0, 0);
        }
        try {
            return environment.outside(() -> CommitOutcome.of(messages, environment.store()));
        } catch (Exception databaseIsAway) {
            databaseIsAway.addSuppressed(e);
            throw new IllegalStateException(Problem.COMMIT_UNKNOWN.text(messages.size()), databaseIsAway);
        }
    }

    private boolean mayContinue() {
        return !isLate() && !commitIncomplete && destinationFull == null;
    }

    private boolean isLate() {
        return sendNanos > MAX_BATCH_SEND_TIME.toNanos();
    }

    /** Charges the messages at fault that no settlement has charged yet, except while their rows may be in doubt. */
    private void chargeFailed() throws Exception {
        if (!commitIncomplete) {
            charge(chargeable(Set.of()), Map.of());
        }
    }

    /**
     * The failed messages whose predecessors are settled now or before. A charge moves a message out of its partition,
     * where an unsettled predecessor would stay behind.
     *
     * @param settledNow the messages that the same transaction settles
     */
    private List<Failure> chargeable(Set<Long> settledNow) {
        return withoutGaps(sequence -> settledNow.contains(sequence) || failed.containsKey(sequence)).stream()
                .map(OutboxMessage::sequence)
                .filter(sequence -> failed.containsKey(sequence) && !charged.contains(sequence))
                .map(failed::get)
                .toList();
    }

    /** The unsettled messages that pass a test and whose unsettled predecessors in the key pass it too. */
    private List<OutboxMessage> withoutGaps(LongPredicate test) {
        Set<String> waiting = new HashSet<>();
        List<OutboxMessage> passed = new ArrayList<>();
        for (OutboxMessage message : batch) {
            if (settled.contains(message.sequence())) {
                continue;
            }
            if (test.test(message.sequence()) && !waiting.contains(message.orderingKey())) {
                passed.add(message);
            } else if (message.orderingKey() != null) {
                waiting.add(message.orderingKey());
            }
        }
        return passed;
    }

    private static Set<Long> sequences(List<OutboxMessage> messages) {
        return messages.stream().map(OutboxMessage::sequence).collect(Collectors.toSet());
    }

    /**
     * One attempt to send messages in the current transaction, and to settle them. A failed message blocks its own key
     * only. If a failure does not show whether the message or the destination is to blame, the attempt probes the
     * destination in the same transaction. The attempt outlives its transaction: after a rollback it shows which
     * messages got through.
     */
    final class Attempt {
        private final List<OutboxMessage> messages;
        private final long start = environment.nanoTime();

        /** The messages that were sent or have expired, in order. */
        final List<OutboxMessage> through = new ArrayList<>();

        private final List<OutboxMessage> sent = new ArrayList<>();
        private final List<OutboxMessage> expired = new ArrayList<>();
        private final Map<Long, String> brokerIds = new HashMap<>();
        private final Set<String> blockedKeys = new HashSet<>();
        /** The messages that the attempt did not reach. */
        List<OutboxMessage> untried = List.of();
        /** A failed message after which the destination did not answer in the same transaction; null if there is none. */
        private Failure suspect;

        private boolean isFull;
        private PublishException outcomeUnknown;
        /** Whether the transaction rolls back because the broker may have a message that failed. */
        private boolean mustRollBack;

        private List<Charge> charges = List.of();
        private Map<Long, String> unreadable = Map.of();
        private Settlement.Result changes = new Settlement.Result(Set.of(), Set.of());
        /** Whether only the commit is left. */
        private boolean isReadyToCommit;

        Attempt(List<OutboxMessage> messages) {
            this.messages = messages;
        }

        /**
         * Sends the messages until all are tried, the time is over, or the destination accepts no more.
         *
         * @param timeLeft the time until the container rolls the transaction back; null if unknown
         * @throws PublishException if the transaction must roll back: the destination is to blame, or the broker may have a
         *     message that failed
         */
        void send(Duration timeLeft) throws PublishException {
            long opened = environment.nanoTime();
            try (OutboxPublisher.Sender sender = environment.open(target)) {
                long begin = environment.nanoTime();
                long end = begin + maxSendNanos(timeLeft, begin - opened);
                try {
                    int next = 0;
                    while (next < messages.size() && suspect == null && !isFull && !isOver(next, end)) {
                        sendOrExpire(sender, messages.get(next));
                        next++;
                    }
                    untried = messages.subList(next, messages.size());
                } finally {
                    sendNanos += environment.nanoTime() - begin;
                }
            }
            mustRollBack = outcomeUnknown != null;
            if (mustRollBack) {
                throw outcomeUnknown;
            }
        }

        /** @param openNanos the part of the transaction's time that the connection took */
        private static long maxSendNanos(Duration timeLeft, long openNanos) {
            return timeLeft == null
                    ? MAX_SEND_TIME.toNanos()
                    : Math.min(MAX_SEND_TIME.toNanos(), timeLeft.toNanos() / TIME_SHARE - openNanos);
        }

        private boolean isOver(int next, long end) {
            // Send the first message in any case: a slow connection must not end every attempt without a send.
            return next > 0 && environment.nanoTime() - end > 0 || environment.isStopping() && !sent.isEmpty();
        }

        /** @throws PublishException if the destination is to blame */
        private void sendOrExpire(OutboxPublisher.Sender sender, OutboxMessage message) throws PublishException {
            if (blockedKeys.contains(message.orderingKey())) {
                return;
            }
            // By the clock: sends of other messages take time after the claim has read this one.
            Instant end = message.terms().expiresAt();
            if (end != null && !clock.now().isBefore(end)) {
                through.add(message);
                expired.add(message);
                return;
            }
            PublishException failure = call(() -> sender.send(message));
            if (failure != null) {
                judge(new Failure(message, failure));
                return;
            }
            through.add(message);
            sent.add(message);
            String brokerId = sender.lastBrokerMessageId();
            if (brokerId != null) {
                brokerIds.put(message.sequence(), brokerId);
            }
        }

        /** @throws PublishException if the destination is to blame */
        private void judge(Failure failure) throws PublishException {
            PublishException cause = failure.cause();
            switch (cause.blame()) {
                case MESSAGE -> recordFailed(failure);
                case DESTINATION -> throw cause;
                case DESTINATION_FULL -> {
                    isFull = true;
                    destinationFull = destinationFull == null ? cause : destinationFull;
                }
                case UNKNOWN -> {
                    outcomeUnknown = outcomeUnknown == null ? cause : outcomeUnknown;
                    if (isAnswering(cause)) {
                        recordFailed(failure);
                    } else {
                        suspect = failure;
                    }
                }
            }
        }

        private void recordFailed(Failure failure) {
            failed.put(failure.message().sequence(), failure);
            if (failure.message().orderingKey() != null) {
                blockedKeys.add(failure.message().orderingKey());
            }
        }

        /** Whether the destination accepts a probe in the current transaction, which rolls back in any case. */
        private boolean isAnswering(PublishException why) {
            PublishException failure = call(() -> environment.probe(target));
            if (failure != null) {
                why.addSuppressed(failure);
            }
            return failure == null;
        }

        /**
         * Turns other exceptions and errors of a publisher into failures of unknown origin. A rethrow would stop the
         * destination without a charge.
         *
         * @return the failure, or null
         */
        private static PublishException call(Environment.Work call) {
            try {
                call.run();
                return null;
            } catch (PublishException e) {
                return e;
            } catch (Exception
                    | LinkageError
                    | AssertionError
                    | ServiceConfigurationError
                    | StackOverflowError
                    | OutOfMemoryError e) {
                return new PublishException(Blame.UNKNOWN, "the publisher failed", e);
            }
        }

        /**
         * Settles in the current transaction.
         *
         * @param failures the messages to charge
         * @param unreadableRows the reasons by sequence
         */
        void settle(List<Failure> failures, Map<Long, String> unreadableRows) {
            charges = failures.stream()
                    .map(f -> new Charge(
                            f.message(), backoff().charge(f.message(), f.cause(), Problem.reason(f.cause()))))
                    .toList();
            unreadable = unreadableRows;
            List<Retry> retries =
                    new ArrayList<>(charges.stream().map(Charge::retry).toList());
            unreadable.forEach((sequence, problem) -> retries.add(backoff().abandon(sequence, problem)));
            String shadow = config.dispatcher().shadowDestination();
            List<Long> published = sent.stream().map(OutboxMessage::sequence).toList();
            List<Long> unsent = expired.stream().map(OutboxMessage::sequence).toList();
            Settlement settlement = new Settlement(published, unsent, retries, config.retention(), shadow, brokerIds);
            changes = environment.store().settle(settlement, lease);
        }

        private BackoffPolicy backoff() {
            return new BackoffPolicy(
                    config.retry(), () -> ThreadLocalRandom.current().nextDouble());
        }

        /** Notifies the listeners. Call this after the commit of the settlement. */
        void notifyListeners() {
            String shadow = config.dispatcher().shadowDestination();
            Instant now = clock.now();
            if (!sent.isEmpty() && shadow == null) {
                Duration took = Duration.ofNanos(environment.nanoTime() - start);
                environment.notifyEach(l -> l.published(label, sent, now, took));
            } else if (!sent.isEmpty()) {
                environment.notifyEach(l -> l.shadowed(label, shadow, sent));
            }
            sent.stream()
                    .filter(message -> changes.discarded().contains(message.sequence()))
                    .forEach(message -> environment.notifyEach(l -> l.discardedTooLate(label, message)));
            expired.stream()
                    .filter(message -> !isLeft(message.sequence()))
                    .forEach(message -> environment.notifyEach(l -> l.expired(label, message)));
            charges.stream()
                    .filter(charge -> !isLeft(charge.retry().sequence()))
                    .forEach(charge ->
                            environment.notifyEach(l -> l.charged(label, charge.message(), charge.retry(), now)));
            unreadable.forEach((sequence, problem) -> {
                if (!isLeft(sequence)) {
                    LOG.severe(Problem.UNREADABLE_ROW.text(label, sequence, problem));
                    environment.notifyEach(l -> l.unreadable(label, sequence, problem));
                }
            });
        }

        private boolean isLeft(long sequence) {
            return changes.leftUnchanged().contains(sequence);
        }

        /** A charge, unless an operator changed the message first. */
        private record Charge(OutboxMessage message, Retry retry) {}
    }
}
