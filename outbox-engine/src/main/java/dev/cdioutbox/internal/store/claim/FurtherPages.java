package dev.cdioutbox.internal.store.claim;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/**
 * Reads on where the first pages are not enough: behind a page whose rows all have to wait, and behind messages of a blocked
 * key that all have one attempt left. While a transaction is in doubt, very many messages of its keys may come first, so a
 * larger page has none of them. Thread-safe.
 *
 * <p><b>A larger page begins at the start of its queue</b>, because two pages show two moments. Suppose that message 90 of a
 * key is not committed when a page ends at 100. Then 90 is committed, and after it message 150 of the same key. A second
 * page that began at 101 would have 150 without 90.
 */
final class FurtherPages {
    private final PageReader pages;
    private final BlockedKeyMaintenance maintenance;

    FurtherPages(PageReader pages, BlockedKeyMaintenance maintenance) {
        this.pages = pages;
        this.maintenance = maintenance;
    }

    void read(Connection connection, String destination, Batch batch) throws SQLException {
        readHiddenRows(connection, destination, batch);
        readFollowers(connection, destination, batch);
    }

    private void readHiddenRows(Connection connection, String destination, Batch batch) throws SQLException {
        for (List<Queue> queues = hidingRows(batch); !queues.isEmpty(); queues = hidingRows(batch)) {
            int pageSize = Math.max(2 * queues.get(0).pageSize(), batch.pageSize(queues.size()));
            queues.forEach(queue -> queue.beginPage(pageSize));
            if (batch.keysInDoubt().isEmpty()) {
                pages.read(
                        connection,
                        destination,
                        queues,
                        pageSize,
                        batch.limits().bytes(),
                        batch::add);
            } else {
                readOtherKeys(connection, destination, queues, batch);
            }
        }
    }

    private void readOtherKeys(Connection connection, String destination, List<Queue> queues, Batch batch)
            throws SQLException {
        for (Queue queue : queues) {
            if (!batch.isFull()) {
                pages.readOtherKeys(
                        connection,
                        destination,
                        queue,
                        batch.keysInDoubt(),
                        batch.limits().bytes(),
                        batch::add);
            }
        }
    }

    private List<Queue> hidingRows(Batch batch) {
        Set<Long> stuck = maintenance.stuck();
        return batch.hidingRows().stream()
                .filter(queue -> !isForMaintenance(queue, stuck))
                .toList();
    }

    /**
     * Behind followers of blocked keys a claim reads no further than the maintenance scans, because the maintenance moves them and
     * the next claim reads what they have hidden; unless they are stuck.
     */
    static boolean isForMaintenance(Queue queue, Set<Long> stuck) {
        return queue.hasFollowers()
                && queue.pageSize() >= PartitionFollowers.ROWS_SCANNED
                && !stuck.contains(queue.partition());
    }

    /** Goes on behind the rows that were read: no insert comes into the queue of a blocked key while this claim has its partition. */
    private void readFollowers(Connection connection, String destination, Batch batch) throws SQLException {
        for (List<Queue> queues = batch.needingFollowers(); !queues.isEmpty(); queues = batch.needingFollowers()) {
            queues.forEach(Queue::extendPage);
            pages.read(connection, destination, queues, 1, batch.limits().bytes(), row -> {
                batch.add(row);
                return true;
            });
        }
    }
}
