package dev.cdioutbox.internal.operate.console;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.function.BiFunction;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.OutboxUnavailableException;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.ChecklistAnswer;
import dev.cdioutbox.internal.operate.ErasureFilter;
import dev.cdioutbox.internal.operate.TransactionalOperations;
import dev.cdioutbox.internal.outbox.OutboxInstance;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.operate.AuditTable;
import dev.cdioutbox.internal.store.operate.BlockedKeyFinder.BlockedKey;
import dev.cdioutbox.internal.store.operate.BlockedKeyFinder.BlockedKeys;
import dev.cdioutbox.internal.store.operate.MessageFinder;
import dev.cdioutbox.internal.store.operate.MessageFinder.CandidateCount;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxAuditEntry;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxChange;
import dev.cdioutbox.operate.OutboxErasure;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxFinding;
import dev.cdioutbox.operate.OutboxNode;
import dev.cdioutbox.operate.OutboxOutcome;
import dev.cdioutbox.operate.OutboxPage;
import dev.cdioutbox.operate.OutboxPage.Unreadable;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.jspecify.annotations.Nullable;

/** Answers the operations of the API. {@link ApiOperation} has checked the role before. */
@ApplicationScoped
class ConsoleApi {
    private static final int PAGE = 50;
    private static final int AUDIT_ENTRIES = 20;
    private static final Duration MAX_SCAN_TIME = Duration.ofSeconds(1);

    /** In messages: one batch is one transaction. */
    private static final int BATCH_SIZE = 500;

    @Inject
    TransactionalOperations operations;

    @Inject
    Outboxes outboxes;

    @Inject
    ThroughputHistory throughput;

    @Inject
    ConsumerHistory consumers;

    @Inject
    FailureTraces traces;

    @Inject
    Gauges gauges;

    @Inject
    PayloadMasks masks;

    private SelectedOutbox selected(ApiRequest request) {
        return new SelectedOutbox(outboxes.get(request.outbox()), operations(request), gauges);
    }

    private TransactionalOperations operations(ApiRequest request) {
        return operations.outbox(request.outbox());
    }

    StateView state(ApiRequest request) {
        return StateView.of(selected(request), request, outboxes.names(), consumers.consumers(), throughput.samples());
    }

    Diagnosis diagnosis(ApiRequest request) {
        SelectedOutbox selected = selected(request);
        List<OutboxFinding> findings = selected.operations().diagnose();
        return new Diagnosis(
                selected.outbox().name(),
                findings.stream().map(request.disclosure()::finding).toList(),
                operations(request).checklist(findings));
    }

    /** Scans further windows for a moment if a page is empty, so that the user need not click for each empty window. */
    MessagePage messages(ApiRequest request) {
        long start = System.nanoTime();
        MessageFinder finder = selected(request).outbox().store().finder();
        OutboxPage page = finder.list(request.filter(), request.range(PAGE));
        while (page.messages().isEmpty()
                && page.unreadable().isEmpty()
                && page.next() != null
                && System.nanoTime() - start < MAX_SCAN_TIME.toNanos()) {
            page = finder.list(request.filter(), page.next());
        }
        return new MessagePage(
                page.messages().stream().map(request.disclosure()::message).toList(),
                page.unreadable().stream().map(request.disclosure()::unreadable).toList(),
                page.next() == null ? null : page.next().before());
    }

    MessageDetails message(ApiRequest request) {
        SelectedOutbox selected = selected(request);
        String id = request.get(Parameter.ID);
        OutboxPage found = found(selected, id);
        OutboxMessage message = found.messages().stream().findFirst().orElse(null);
        Unreadable unreadable = found.unreadable().stream().findFirst().orElse(null);
        if (message == null && unreadable == null) {
            throw RequestRefusedException.notFound();
        }
        List<OutboxAuditEntry> audit = selected.operatorStore().audit().lastOfMessage(id, AuditTable.MAX_HISTORY);
        if (audit.stream().anyMatch(entry -> entry.action().equals(MessageOperation.ERASE.action()))) {
            // Another node may have erased it, and consumers may have failed again since then.
            consumers.erased(List.of(id));
        }
        Disclosure disclosure = request.disclosure();
        WaitReason wait = message == null ? null : WaitReason.of(selected, message, disclosure);
        return new MessageDetails(
                selected.outbox().name(),
                message == null ? null : masks.masked(disclosure.message(message)),
                unreadable == null ? null : disclosure.unreadable(unreadable),
                wait == null ? null : wait.reason().orElse(null),
                wait == null || wait.senders() == null
                        ? List.of()
                        : wait.senders().stream().map(OutboxNode::id).toList(),
                audit.stream().map(disclosure::entry).toList(),
                consumers.failures(id).stream().map(disclosure::failure).toList(),
                disclosure.trace(traces.of(id)));
    }

    /** Also of a text, which the page shows, but may be longer than a person wants to see there. */
    ConsoleServlet.Download payload(ApiRequest request) {
        OutboxMessage message = found(selected(request), request.get(Parameter.ID)).messages().stream()
                .findFirst()
                .map(masks::masked)
                .orElseThrow(RequestRefusedException::notFound);
        OutboxPayload payload = message.body().payload();
        if (payload.isErased()) {
            throw new RequestRefusedException(410, "Its payload was erased after it was sent, as configured.");
        }
        return new ConsoleServlet.Download(message.id() + (payload.isBinary() ? ".bin" : ".txt"), payload.toBytes());
    }

    /** Finds the row by the id as text, because an unreadable row may have an id of another form. */
    private static OutboxPage found(SelectedOutbox selected, String id) {
        Long sequence = selected.operatorStore().sequence(id);
        if (sequence == null) {
            throw RequestRefusedException.notFound();
        }
        return selected.operations().page(OutboxFilter.all(), OutboxPageRequest.ofSequence(sequence));
    }

    Changed changeMessage(ApiRequest request) {
        OutboxOutcome outcome = repeatable(request, (operation, name) -> operations(request)
                .executeOne(operation, request.get(Parameter.ID), name));
        if (outcome == OutboxOutcome.NOT_FOUND) {
            throw RequestRefusedException.notFound();
        }
        return changed(outcome == OutboxOutcome.DONE);
    }

    Preview preview(ApiRequest request) {
        requireNarrow(request);
        OutboxInstance outbox = selected(request).outbox();
        CandidateCount found = outbox.store()
                .finder()
                .countCandidates(
                        request.get(Parameter.ACTION), request.filter(), OutboxPageRequest.of(1), OutboxBacklog.CAP);
        return new Preview(outbox.name(), found.count(), found.count() >= OutboxBacklog.CAP, found.last() + 1);
    }

    /**
     * Changes one batch. The client sends the start of each batch, and the upper end that the preview returned. So the
     * batches neither change messages stored after the confirmation, nor match replayed messages twice.
     */
    Changed changeMessages(ApiRequest request) {
        requireNarrow(request);
        OutboxChange change = repeatable(request, (operation, name) -> operations(request)
                .executeBatch(operation, request.filter(), request.range(BATCH_SIZE), name));
        Long after = change.next() == null ? null : change.next().after();
        return change instanceof OutboxErasure erasure
                ? new Changed(change.changed(), after, erasure.published(), erasure.archived())
                : new Changed(change.changed(), after, null, null);
    }

    private static void requireNarrow(ApiRequest request) {
        String wrong = request.get(Parameter.ACTION) == MessageOperation.ERASE
                ? ErasureFilter.problem(request.filter())
                : null;
        if (wrong != null) {
            throw RequestRefusedException.badRequest(wrong + ".");
        }
    }

    /**
     * Two requests with one name may copy the same messages at once, and the ids of the second copies exist then. The
     * repeated batch is a new transaction, which sees the first copies.
     */
    private static <T> T repeatable(ApiRequest request, BiFunction<MessageOperation, String, T> change) {
        MessageOperation operation = request.get(Parameter.ACTION);
        String name = request.get(Parameter.OPERATION);
        try {
            return change.apply(operation, name);
        } catch (OutboxUnavailableException failure) {
            if (name == null || operation != MessageOperation.REPLAY_AS_NEW) {
                throw failure;
            }
            return change.apply(operation, name);
        }
    }

    BlockedKeyList blockedKeys(ApiRequest request) {
        SelectedOutbox selected = selected(request);
        BlockedKeys found = selected.operatorStore().blockedKeys().find(PAGE);
        return new BlockedKeyList(
                selected.outbox().name(),
                found.keys().stream().map(request.disclosure()::blockedKey).toList(),
                found.isCapped());
    }

    Changed pause(ApiRequest request) {
        return changed(operations(request).pause(request.get(Parameter.DESTINATION)));
    }

    Changed resume(ApiRequest request) {
        return changed(operations(request).resume(request.get(Parameter.DESTINATION)));
    }

    Changed backfill(ApiRequest request) {
        try {
            operations(request)
                    .backfill(
                            request.get(Parameter.DESTINATION),
                            request.get(Parameter.SOURCE),
                            new HashSet<>(request.all(Parameter.TYPES)),
                            request.get(Parameter.FROM));
        } catch (IllegalArgumentException impossible) {
            throw RequestRefusedException.badRequest(impossible.getMessage() + ".");
        } catch (OutboxException failure) {
            if (!failure.code().equals(OutboxCode.BACKFILL_RUNS.code())) {
                throw failure;
            }
            throw new RequestRefusedException(
                    409,
                    "The destination is being backfilled already. Wait, or cancel that.",
                    OutboxCode.BACKFILL_RUNS);
        }
        return changed(true);
    }

    Changed cancelBackfill(ApiRequest request) {
        return changed(operations(request).cancelBackfill(request.get(Parameter.DESTINATION)));
    }

    private static Changed changed(boolean isChanged) {
        return new Changed(isChanged ? 1 : 0, null, null, null);
    }

    AuditPage audit(ApiRequest request) {
        OutboxPageRequest range = request.range(AUDIT_ENTRIES);
        List<OutboxAuditEntry> entries =
                selected(request).operatorStore().audit().last(range.limit(), range.before());
        boolean isLast = entries.size() < range.limit();
        return new AuditPage(
                entries.stream().map(request.disclosure()::entry).toList(),
                isLast ? null : entries.get(entries.size() - 1).id());
    }

    /**
     * The newest messages first, without their payloads.
     *
     * @param unreadable rows among them that cannot be read as a message
     * @param below the upper end of the next page, exclusive; null on the last page
     */
    public record MessagePage(
            List<OutboxMessage> messages,
            List<Unreadable> unreadable,
            @Nullable Long below) {}

    /**
     * One message with its history.
     *
     * @param message null if the row is unreadable
     * @param unreadable what is known of an unreadable row; else null
     * @param why the reason why the message waits; null if it does not wait
     * @param senders the ids of the nodes one of which holds the message now
     * @param failures those of this node's consumers
     * @param trace where its last attempt on this node failed; null if this node does not know, or the role may not see it
     */
    public record MessageDetails(
            String outbox,
            @Nullable OutboxMessage message,
            @Nullable Unreadable unreadable,
            @Nullable String why,
            List<String> senders,
            List<OutboxAuditEntry> audit,
            List<ConsumerHistory.ConsumerFailure> failures,
            FailureTraces.@Nullable Trace trace) {}

    /**
     * The keys that are blocked by their first message, those that hold up most first.
     *
     * @param capped whether counting stopped, so that a key may hold up more, or be missing
     */
    public record BlockedKeyList(String outbox, List<BlockedKey> keys, boolean capped) {}

    /**
     * What was changed.
     *
     * @param after the lower end of the next batch, exclusive; null after the last batch
     * @param published of erased messages, how many were published; null unless some were erased by a filter
     * @param archived how many messages were deleted from the archive; null unless some were erased by a filter
     */
    public record Changed(
            int changed,
            @Nullable Long after,
            @Nullable Integer published,
            @Nullable Integer archived) {}

    /**
     * The messages that an action would change now.
     *
     * @param capped whether counting stopped at {@code count}
     * @param below the upper end for the batches, exclusive
     */
    public record Preview(String outbox, int count, boolean capped, long below) {}

    /** @param below the upper end of the next page, exclusive; null on the last page */
    public record AuditPage(
            List<OutboxAuditEntry> entries, @Nullable Long below) {}

    /** @param checklist whether the set-up is ready for production */
    public record Diagnosis(String outbox, List<OutboxFinding> findings, List<ChecklistAnswer> checklist) {}
}
