package dev.cdioutbox.internal.store.claim;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.internal.store.DatabaseClock;

/**
 * The rows that a claim sends, chosen from those that it reads: of each key the first ones, up to one that has to wait. Does not
 * use the database.
 *
 * <table>
 * <caption>The first rule that applies to a row</caption>
 * <tr><th>the row</th><th>is</th></tr>
 * <tr><td>is in doubt, or follows a row of its key that is in doubt or was left out</td><td>left out</td></tr>
 * <tr><td>is not due, or is still in the partition although its key is blocked</td><td>left out</td></tr>
 * <tr><td>is unreadable, behind others of its key: abandoned before them, it would block them for ever</td>
 *     <td>left out</td></tr>
 * <tr><td>is in the queue of a blocked key, behind messages that all have one attempt left: only a delivery of this row may allow
 *     to give them up</td><td>accepted</td></tr>
 * <tr><td>exceeds the share of its queue, and is not the first of it</td><td>left out</td></tr>
 * <tr><td>exceeds the limits of the batch</td><td>left out, and ends the batch</td></tr>
 * <tr><td>is unreadable, and the first of its key</td><td>accepted, but its followers are left out</td></tr>
 * <tr><td>other rows</td><td>accepted</td></tr>
 * </table>
 */
final class Batch {
    private final ClaimLimits limits;
    private final Set<Long> inDoubt;
    private final Set<String> keysInDoubt;
    private List<Queue> queues = List.of();
    private DatabaseClock clock;

    private int size;
    private long bytes;
    /** The queue of the row that has ended the batch. */
    private Queue end;

    Batch(ClaimLimits limits) {
        this(limits, new HashSet<>(), new HashSet<>());
    }

    private Batch(ClaimLimits limits, Set<Long> inDoubt, Set<String> keysInDoubt) {
        this.limits = limits;
        this.inDoubt = inDoubt;
        this.keysInDoubt = keysInDoubt;
    }

    /** An empty batch that leaves out more rows, with their keys. */
    Batch without(Collection<Row> locked) {
        Batch anew = new Batch(limits, new HashSet<>(inDoubt), new HashSet<>(keysInDoubt));
        anew.clock = clock;
        for (Row row : locked) {
            anew.inDoubt.add(row.sequence());
            if (row.key() != null) {
                anew.keysInDoubt.add(row.key());
            }
        }
        return anew;
    }

    /** The size of the pages of so many queues, which together fill the batch. */
    int pageSize(int count) {
        return Math.max(1, limits.messages() / count);
    }

    /** Begins with the first pages of these queues. */
    void begin(List<Queue> all, int pageSize) {
        queues = all;
        queues.forEach(queue -> queue.beginPage(pageSize));
    }

    /** @return false if the batch is full */
    boolean add(Row row) {
        Queue queue = row.queue();
        boolean isNeeded = queue.needsFollower(limits.lastAttempt());
        if (mustWait(row) || !isNeeded && queue.exceedsShare(row)) {
            queue.leaveOut(row);
        } else if (!isNeeded && exceedsLimits(row)) {
            queue.leaveOut(row);
            end = queue;
        } else {
            queue.accept(row);
            size++;
            bytes += row.bytes();
        }
        return !isFull();
    }

    private boolean mustWait(Row row) {
        return inDoubt.contains(row.sequence())
                || keysInDoubt.contains(row.key())
                || row.queue().mustWait(row)
                || row.keyBlocked()
                || !row.due()
                || !row.isReadable() && row.queue().hasAccepted(row.key());
    }

    private boolean exceedsLimits(Row row) {
        return size >= limits.messages() || size > 0 && bytes + row.bytes() > limits.bytes();
    }

    /** @param now null if no row was read */
    void readAt(DatabaseClock now) {
        clock = clock == null ? now : clock;
    }

    /** Whether the first pages are not enough. */
    boolean needsMorePages() {
        return !hidingRows().isEmpty() || !needingFollowers().isEmpty();
    }

    /** The partitions that hide rows to send behind a page of rows that have to wait, while the batch has room. */
    List<Queue> hidingRows() {
        return isFull() ? List.of() : queues.stream().filter(Queue::hidesRows).toList();
    }

    /**
     * The queues in which only messages with a last attempt were accepted. If these fail, and nothing else is delivered, a delivery of
     * the next one is needed to give them up. The batch accepts it beyond its limits.
     */
    List<Queue> needingFollowers() {
        return queues.stream()
                .filter(queue -> queue.needsFollower(limits.lastAttempt()) && !queue.isAtEnd())
                .toList();
    }

    ClaimLimits limits() {
        return limits;
    }

    /** The rows that were left out with their keys, because other transactions lock them: most likely in doubt. */
    Set<Long> inDoubt() {
        return inDoubt;
    }

    Set<String> keysInDoubt() {
        return keysInDoubt;
    }

    /** The database's clock; null if no row was read. */
    DatabaseClock clock() {
        return clock;
    }

    /** Whether the batch has left out a row for lack of room. */
    boolean isFull() {
        return end != null;
    }

    /** The accepted rows, queue by queue. */
    List<Row> rows() {
        return queues.stream().flatMap(queue -> queue.accepted().stream()).toList();
    }

    /** Whether the partitions have been read to their ends, and nothing was left out that may be sent or abandoned soon. */
    boolean isComplete() {
        return !isFull()
                && queues.stream()
                        .allMatch(queue -> queue.isAtEnd() && !queue.hasFollowers() && !queue.hasLaterUnreadable());
    }

    /** Whether the claim has met blocked keys. */
    boolean hasBlockedKeys() {
        return queues.stream().anyMatch(queue -> queue instanceof BlockedKeyQueue || queue.hasFollowers());
    }

    /** What has to be done to blocked keys, after the batch. */
    MaintenancePlan maintenance() {
        return MaintenancePlan.of(queues, isFull() ? queues.indexOf(end) : queues.size());
    }
}
