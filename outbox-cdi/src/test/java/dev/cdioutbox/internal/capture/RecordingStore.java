package dev.cdioutbox.internal.capture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxNode;
import dev.cdioutbox.OutboxPage;
import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.Claim;
import dev.cdioutbox.internal.store.Claim.Lease;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.PreparedTransactions;
import dev.cdioutbox.internal.store.Settlement;
import dev.cdioutbox.internal.store.SweepResult;
import dev.cdioutbox.internal.store.ThisNode;

/** A store that records writes, or fails them. */
public final class RecordingStore implements OutboxStore {
    final List<List<NewMessage>> writes = new ArrayList<>();
    Throwable failure;

    List<List<String>> texts() {
        return writes.stream()
                .map(write -> write.stream().map(m -> m.body().text()).toList())
                .toList();
    }

    @Override
    public void write(List<NewMessage> messages) {
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        writes.add(messages);
    }

    @Override
    public int partitionOf(NewMessage message) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Claim claim(String destination, int afterPartition, Claim.Limits limits, Claim.LockProbe probe) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String database() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<Long> lockable(Collection<Long> sequences) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void renewLeases() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean countUnfinishedSend(long sequence, int count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<Long> pending(Collection<Long> sequences) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean releaseDelayed(String destination) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Duration untilNextDue(String destination) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Settlement.Result settle(Settlement settlement, Lease lease) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SweepResult sweep(RetentionConfig retention, long after) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean sweepInbox(Duration retention) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void writeHeartbeat(ThisNode node, int partitions) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<OutboxNode> nodes() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean deleteNode(String node) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String dataSourceProblem() {
        throw new UnsupportedOperationException();
    }

    @Override
    public PreparedTransactions preparedTransactions() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long insertProbe() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void settleProbe(long sequence, RetentionConfig retention) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void deleteProbe(long sequence) {
        throw new UnsupportedOperationException();
    }

    @Override
    public String problem() {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxBacklog backlog() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<String, Integer> waitingByDestination() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Long highestShadowed(String destination) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<OutboxMessage> find(List<Long> sequences) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxPage page(OutboxFilter filter) {
        return new OutboxPage(List.of(), null, List.of());
    }

    @Override
    public OutboxPage list(OutboxFilter filter) {
        return page(filter);
    }

    @Override
    public List<OutboxMessage> find(OutboxFilter filter, String messageId) {
        throw new UnsupportedOperationException();
    }
}
