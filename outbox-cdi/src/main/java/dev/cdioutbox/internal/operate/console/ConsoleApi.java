package dev.cdioutbox.internal.operate.console;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxUnavailableException;
import dev.cdioutbox.internal.capture.OpenOutbox;
import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.internal.operate.TransactionalOperations;
import dev.cdioutbox.internal.store.admin.AuditTable;
import dev.cdioutbox.internal.store.admin.MessageFinder;
import dev.cdioutbox.internal.store.admin.MessageFinder.CandidateCount;
import dev.cdioutbox.internal.store.admin.MessageOperation;
import dev.cdioutbox.operate.OutboxAuditEntry;
import dev.cdioutbox.operate.OutboxBacklog;
import dev.cdioutbox.operate.OutboxChange;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPage;
import dev.cdioutbox.operate.OutboxPage.Unreadable;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.operate.UnknownNameException;

/**
 * The resources of the console. Each answer is a record, which the servlet writes as JSON. The servlet has checked the
 * role before.
 */
@ApplicationScoped
class ConsoleApi {
    private static final String MESSAGE = "messages/";
    private static final int PAGE = 50;
    private static final Duration MAX_SCAN_TIME = Duration.ofSeconds(1);
    private static final int AUDIT_ENTRIES = 20;

    /** In messages: one batch is one transaction. */
    private static final int BATCH_SIZE = 500;

    private static final Pattern OPERATION_NAME = Pattern.compile("[0-9a-f]{32}");

    @Inject
    TransactionalOperations operations;

    @Inject
    Outboxes outboxes;

    @Inject
    ThroughputHistory throughput;

    @Inject
    ConsumerHistory consumers;

    @Inject
    Gauges gauges;

    Object read(String resource, RequestQuery query) {
        SelectedOutbox selected = selectedOutbox(query);
        if (resource.startsWith(MESSAGE)) {
            return message(selected, resource.substring(MESSAGE.length()));
        }
        return switch (resource) {
            case "state" -> StateView.of(selected, outboxes.names(), consumers.consumers(), throughput.samples());
            case "messages" -> page(selected, query.filter(), query.range(PAGE));
            case "audit" -> selected.operatorStore().audit().last(AUDIT_ENTRIES);
            case "preview" -> preview(selected, operation(query.text("action")), query);
            default -> throw RequestRefusedException.notFound();
        };
    }

    Changed change(String action, RequestQuery query) {
        SelectedOutbox selected = selectedOutbox(query);
        return switch (action) {
            case "retry", "discard", "replay", "replay-as-new" ->
                Changed.of(executeBatch(selected, operation(action), query));
            case "pause", "resume" -> pause(selected.operations(), action, query.text("destination"));
            default -> throw RequestRefusedException.notFound();
        };
    }

    /** The default outbox unless the request names another one. */
    private SelectedOutbox selectedOutbox(RequestQuery query) {
        String name = query.text("outbox");
        OpenOutbox outbox = name == null ? outboxes.standard() : outboxes.get(name);
        if (outbox == null) {
            throw RequestRefusedException.badRequest("There is no such outbox.");
        }
        return new SelectedOutbox(outbox, operations.outbox(outbox.name()), gauges);
    }

    private static MessageOperation operation(String action) {
        return MessageOperation.of(action)
                .orElseThrow(() -> RequestRefusedException.badRequest("There is no such action."));
    }

    /** Scans further windows for a moment if a page is empty, so that the user need not click for each empty window. */
    private static Page page(SelectedOutbox selected, OutboxFilter filter, OutboxPageRequest first) {
        long start = System.nanoTime();
        MessageFinder finder = selected.outbox().store().finder();
        OutboxPage page = finder.list(filter, first);
        while (page.messages().isEmpty()
                && page.unreadable().isEmpty()
                && page.next() != null
                && System.nanoTime() - start < MAX_SCAN_TIME.toNanos()) {
            page = finder.list(filter, page.next());
        }
        return new Page(
                page.messages(), page.next() == null ? null : page.next().before(), page.unreadable());
    }

    /** Finds the row by the id as text, because an unreadable row may have an id of another form. */
    private Details message(SelectedOutbox selected, String id) {
        Long sequence = selected.operatorStore().sequence(id);
        if (sequence == null) {
            throw RequestRefusedException.notFound();
        }
        OutboxPage found = selected.operations().page(OutboxFilter.all(), OutboxPageRequest.ofSequence(sequence));
        OutboxMessage message = found.messages().stream().findFirst().orElse(null);
        Unreadable unreadable = found.unreadable().stream().findFirst().orElse(null);
        if (message == null && unreadable == null) {
            throw RequestRefusedException.notFound();
        }
        return new Details(
                selected.outbox().name(),
                message,
                unreadable,
                message == null
                        ? null
                        : new WaitReason(selected, message).reason().orElse(null),
                selected.operatorStore().audit().lastOfMessage(id, AuditTable.MAX_HISTORY),
                consumers.failures(id));
    }

    private static Preview preview(SelectedOutbox selected, MessageOperation operation, RequestQuery query) {
        CandidateCount found = selected.outbox()
                .store()
                .finder()
                .countCandidates(operation, query.filter(), query.range(1), OutboxBacklog.CAP);
        return new Preview(
                selected.outbox().name(), found.count(), found.count() >= OutboxBacklog.CAP, found.last() + 1);
    }

    /**
     * Changes one batch. The page sends the start of each batch, and the upper end that the preview returned. So the
     * batches neither change messages stored after the confirmation, nor match replayed messages twice.
     */
    private OutboxChange executeBatch(SelectedOutbox selected, MessageOperation operation, RequestQuery query) {
        OutboxFilter filter = query.filter();
        OutboxPageRequest batch = query.range(BATCH_SIZE);
        String name = query.text("operation");
        if (batch.before() == null) {
            throw RequestRefusedException.badRequest("Up to which message?");
        }
        if (name != null && !OPERATION_NAME.matcher(name).matches()) {
            throw RequestRefusedException.badRequest("An operation's name is 32 hexadecimal digits.");
        }
        TransactionalOperations outbox = operations.outbox(selected.outbox().name());
        try {
            return outbox.executeBatch(operation, filter, batch, name);
        } catch (OutboxUnavailableException failure) {
            // Two requests with one name may copy the same messages at once, and the ids of the second copies exist
            // then. The repeated batch is a new transaction, which sees the first copies.
            if (name == null || operation != MessageOperation.REPLAY_AS_NEW) {
                throw failure;
            }
            return outbox.executeBatch(operation, filter, batch, name);
        }
    }

    private static Changed pause(OutboxOperations outbox, String action, String destination) {
        if (destination == null) {
            throw RequestRefusedException.badRequest("Which destination?");
        }
        try {
            boolean changed = action.equals("pause") ? outbox.pause(destination) : outbox.resume(destination);
            return new Changed(changed ? 1 : 0, null);
        } catch (IllegalArgumentException impossible) {
            throw RequestRefusedException.badRequest(impossible.getMessage() + ".");
        } catch (UnknownNameException unknown) {
            throw new RequestRefusedException(404, "There is no such destination.");
        }
    }

    /** @param next the upper end of the next page, exclusive; null on the last page */
    public record Page(List<OutboxMessage> messages, Long next, List<Unreadable> unreadable) {}

    /**
     * One message with its history.
     *
     * @param message null if the row is unreadable
     * @param unreadable what is known of an unreadable row; else null
     * @param why the reason why the message waits; null if it does not wait
     * @param failures those of this node's consumers
     */
    public record Details(
            String outbox,
            OutboxMessage message,
            Unreadable unreadable,
            String why,
            List<OutboxAuditEntry> audit,
            List<ConsumerHistory.Failure> failures) {}

    /** @param after the lower end of the next batch, exclusive; null after the last batch */
    public record Changed(int changed, Long after) {

        static Changed of(OutboxChange batch) {
            return new Changed(
                    batch.changed(), batch.next() == null ? null : batch.next().after());
        }
    }

    /**
     * The messages that an action would change now.
     *
     * @param capped whether counting stopped at {@code count}
     * @param below the upper end for the batches, exclusive
     */
    public record Preview(String outbox, int count, boolean capped, long below) {}
}
