package dev.cdioutbox.internal.operate.console;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.operate.OutboxAuditEntry;
import dev.cdioutbox.operate.OutboxBackfill;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxChange;
import dev.cdioutbox.operate.OutboxErasure;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxFinding;
import dev.cdioutbox.operate.OutboxNode;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxOutcome;
import dev.cdioutbox.operate.OutboxPage;
import dev.cdioutbox.operate.OutboxPageRequest;

/** The reads of the console, on a store without a server. */
public record ServerlessOperations(JdbcOutboxStore store) implements OutboxOperations {

    @Override
    public List<OutboxMessage> find(OutboxFilter filter, OutboxPageRequest request) {
        return store.finder().find(filter, request);
    }

    @Override
    public OutboxPage page(OutboxFilter filter, OutboxPageRequest request) {
        return store.finder().page(filter, request);
    }

    @Override
    public Optional<OutboxMessage> get(UUID id) {
        return store.finder().find(id.toString());
    }

    @Override
    public OutboxBacklog status() {
        return store.status().backlog();
    }

    @Override
    public List<OutboxNode> nodes() {
        return store.nodes().all();
    }

    @Override
    public List<OutboxAuditEntry> history(UUID id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<OutboxFinding> diagnose() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Map<String, Long> shadowed() {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxChange retry(OutboxFilter filter, OutboxPageRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxOutcome retry(UUID id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxChange discard(OutboxFilter filter, OutboxPageRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxOutcome discard(UUID id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxChange replay(OutboxFilter filter, OutboxPageRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxOutcome replay(UUID id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxChange replayAsNew(OutboxFilter filter, OutboxPageRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxOutcome replayAsNew(UUID id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxErasure erase(OutboxFilter filter, OutboxPageRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxOutcome erase(UUID id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<String> destinations() {
        throw new UnsupportedOperationException();
    }

    @Override
    public String application() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean pause(String destination) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean resume(String destination) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OutboxOperations outbox(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void backfill(String destination, String source, Set<String> eventTypes, Instant from) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<OutboxBackfill> backfills() {
        return store.backfills().all();
    }

    @Override
    public boolean cancelBackfill(String destination) {
        throw new UnsupportedOperationException();
    }
}
