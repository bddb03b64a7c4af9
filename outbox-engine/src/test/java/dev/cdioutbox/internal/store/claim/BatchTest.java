package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.internal.store.TestMessages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Guards the selection of a batch. A case shows the rows of each queue: {@code P: a1 b2:60} are two rows of partition P, with
 * the keys a and b, the sequences 1 and 2, and 10 and 60 bytes. {@code ~} marks a row that is not due, {@code ^} one in the
 * partition although its key is blocked, {@code !} an unreadable one, {@code ?} one in doubt, and {@code -} one without a key.
 * Q and S are due blocked keys. Each queue has a share of 100 bytes.
 */
class BatchTest {
    private static final List<String> QUEUES = List.of("P", "R", "Q", "S");
    private static final Pattern ROW = Pattern.compile("([a-z-])(\\d+)([~^!?]?)(?::(\\d+))?");

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            rows                      | messages | bytes | accepted | complete
            P: a1 b2 a3               | 9        | 999   | 1 2 3    | true
            P: a1 / R: b2 / P:        | 9        | 999   | 1 2      | true
            P: a1~ b2 a3              | 9        | 999   | 2        | true
            P: -1~ -2                 | 9        | 999   | 2        | true
            P: a1^ b2 a3^             | 9        | 999   | 2        | false
            P: a1^ a2 b3              | 9        | 999   | 3        | false
            P: a1? b2 a3              | 9        | 999   | 2        | true
            P: -1? -2                 | 9        | 999   | 2        | true
            P: a1! a2 b3              | 9        | 999   | 1 3      | true
            P: a1 a2! a3 b4           | 9        | 999   | 1 4      | false
            P: -1 -2! -3              | 9        | 999   | 1 2 3    | true
            P: a1:60 b2:60 c3 b4      | 9        | 999   | 1 3      | true
            P: a1:200 b2 / R: c3      | 9        | 999   | 1 3      | true
            P: a1 b2 / R: c3          | 2        | 999   | 1 2      | false
            P: a1:60 b2:30 / R: c3:60 | 9        | 100   | 1 2      | false
            P: a1:90 b2               | 9        | 50    | 1        | false
            P: a1 b2! / R: c3         | 1        | 999   | 1        | false
            P: / R:                   | 9        | 999   | -        | true
            """, useHeadersInDisplayName = true)
    void rowsAreAccepted(String rows, int messages, long bytes, String accepted, boolean complete) {
        Batch batch = batch(rows, messages, bytes, 100);

        assertThat(sequences(batch)).isEqualTo(accepted == null ? "" : accepted);
        assertThat(batch.isComplete()).isEqualTo(complete);
    }

    /** Which blocked keys are perhaps empty, which are not due yet, and which partition has followers. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rows                    | messages | page | maintenance
            Q: / S: a1~ / P: b2     | 9        | 9    | empty Q, later S
            Q: a1 a2 / P:           | 9        | 9    | empty Q
            Q: a1 a2 / P:           | 9        | 2    | nothing
            Q: a1 a2? / P:          | 9        | 9    | nothing
            Q: a1~ a2 / P: a3^ b4   | 9        | 9    | later Q, followers in P
            Q: a1:60 a2:60 / P:     | 9        | 9    | nothing
            P: a1 b2 / Q: / S: c3~  | 1        | 9    | nothing
            Q: / P: a1 b2 / S:      | 1        | 9    | empty Q
            P: a1^ b2 c3            | 1        | 9    | followers in P
            P: a1~ b2               | 9        | 9    | nothing
            """, useHeadersInDisplayName = true)
    void maintenanceIsFound(String rows, int messages, int page, String expected) {
        Batch batch = batch(rows, messages, 999, page);
        MaintenancePlan due = batch.maintenance();

        List<String> words = new ArrayList<>();
        new TreeSet<>(due.perhapsEmpty()).forEach(queue -> words.add("empty " + QUEUES.get((int) (queue - 1))));
        new TreeSet<>(due.notYetDue()).forEach(queue -> words.add("later " + QUEUES.get((int) (queue - 1))));
        new TreeSet<>(due.partitionsToClear())
                .forEach(queue -> words.add("followers in " + QUEUES.get((int) (queue - 1))));
        assertThat(words.isEmpty() ? "nothing" : String.join(", ", words)).isEqualTo(expected);
        assertThat(due.isEmpty()).isEqualTo(words.isEmpty());
        assertThat(batch.hasBlockedKeys()).as("the evidence for it").matches(any -> any || due.isEmpty());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            rows                   | messages | page | hidden
            P: a1~ a2 / R: b3      | 9        | 2    | P
            P: a1? a2 / R: b3? b4  | 9        | 2    | P R
            P: a1~ a2              | 9        | 3    | -
            P: a1~ b2              | 9        | 2    | -
            P: a1^ a2^             | 9        | 2    | P
            Q: a1~ a2 / P: b3      | 9        | 2    | -
            P: a1~ a2 / R: b3 c4   | 1        | 2    | -
            """, useHeadersInDisplayName = true)
    void partitionsWhoseRowsAllWaitNeedALargerPage(String rows, int messages, int page, String hidden) {
        assertThat(hidden(rows, messages, page, Set.of())).isEqualTo(hidden == null ? "" : hidden);
    }

    /** Followers have a blocked key, and come before the rows that they hide. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            all rows                        | row | page | stuck | hidden
            fit into one maintenance        | a^  | 1000 | -     |
            are one fewer                   | a^  | 999  | -     | P
            are followers that nobody moves | a^  | 1000 | 1     | P
            wait, but are no followers      | a~  | 1000 | -     | P
            """, useHeadersInDisplayName = true)
    void followersThatTheMaintenanceMovesNeedNoLargerPage(
            String what, String row, int page, Long stuck, String hidden) {
        String rows = IntStream.rangeClosed(1, page)
                .mapToObj(sequence -> row.charAt(0) + "" + sequence + row.charAt(1))
                .collect(Collectors.joining(" ", "P: ", ""));

        assertThat(hidden(rows, 2000, page, stuck == null ? Set.of() : Set.of(stuck)))
                .as(what)
                .isEqualTo(hidden == null ? "" : hidden);
    }

    private static String hidden(String rows, int messages, int page, Set<Long> stuck) {
        return batch(rows, messages, 999, page).hidingRows().stream()
                .filter(queue -> !FurtherPages.isForMaintenance(queue, stuck))
                .map(queue -> QUEUES.get((int) (queue.id() - 1)))
                .collect(Collectors.joining(" "));
    }

    /** The larger page shows another moment: a key that waited may be sent now. */
    @Test
    void largerPageReplacesTheFirst() {
        Batch batch = batch("P: a1~ a2 / R: b3", 9, 999, 2);
        List<Queue> hiding = batch.hidingRows();
        hiding.forEach(queue -> queue.beginPage(4));
        read(batch, hiding, "P: a1 a2 c4~");

        assertThat(sequences(batch)).as("in the order of the partitions").isEqualTo("1 2 3");
        assertThat(batch.isComplete()).isTrue();
    }

    @Test
    void rowsOfAQueueMustComeInTheirOrder() {
        Queue queue = new Queue(7, 100, 100);
        queue.beginPage(10);
        assertThatThrownBy(() -> queue.requireOrder("default", 100))
                .as("a row below the start")
                .hasMessageStartingWith("OBX-0326");

        queue.requireOrder("default", 101);
        queue.requireOrder("default", 105);

        assertThatThrownBy(() -> queue.requireOrder("default", 104))
                .hasMessageStartingWith(
                        "OBX-0326: destination 'default': the database returned message 104 after message 105 of queue 7,");
        assertThatThrownBy(() -> queue.requireOrder("default", 105)).hasMessageStartingWith("OBX-0326");
        queue.beginPage(20);
        queue.requireOrder("default", 101);
    }

    private static Batch batch(String rows, int messages, long bytes, int page) {
        List<Queue> queues = queues(rows);
        Batch batch = new Batch(limits(9, messages, bytes)).without(inDoubt(queues.get(0), rows));
        batch.begin(queues, page);
        read(batch, queues, rows);
        return batch;
    }

    private static List<Row> inDoubt(Queue queue, String rows) {
        return ROW.matcher(rows)
                .results()
                .filter(row -> row.group(3).equals("?"))
                .map(row -> row(queue, row))
                .toList();
    }

    private static List<Queue> queues(String rows) {
        return Arrays.stream(rows.split("/"))
                .map(of -> QUEUES.indexOf(of.strip().substring(0, 1)) + 1)
                .distinct()
                .map(id -> id > 2 ? new BlockedKeyQueue(id, 1, 100) : new Queue(id, 0, 100))
                .toList();
    }

    private static void read(Batch batch, List<Queue> queues, String rows) {
        boolean wantsMore = true;
        for (Queue queue : queues) {
            String name = QUEUES.get((int) (queue.id() - 1));
            Matcher row = ROW.matcher(Stream.of(rows.split("/"))
                    .filter(of -> of.strip().startsWith(name))
                    .collect(Collectors.joining()));
            while (wantsMore && row.find()) {
                wantsMore = batch.add(row(queue, row));
            }
        }
    }

    private static Row row(Queue queue, MatchResult row) {
        String key = row.group(1).equals("-") ? null : row.group(1);
        String mark = row.group(3);
        long sequence = Long.parseLong(row.group(2));
        int bytes = row.group(4) == null ? 10 : Integer.parseInt(row.group(4));
        return new Row(
                queue,
                sequence,
                key,
                mark.equals("^"),
                !mark.equals("~"),
                false,
                0,
                mark.equals("!") ? null : message(sequence, key, bytes),
                mark.equals("!") ? new UnreadableRow(sequence, 0, "unreadable") : null);
    }

    private static OutboxMessage message(long sequence, String key, int bytes) {
        OutboxMessage small = TestMessages.stored(sequence, key, 0);
        return new StoredMessage(
                sequence,
                small.id(),
                small.event(),
                new StoredMessage.Body("text/plain", OutboxPayload.text(DESTINATION), bytes),
                small.context(),
                small.terms(),
                small.delivery(),
                small.occurredAt(),
                small.createdAt());
    }

    private static String sequences(Batch batch) {
        return batch.rows().stream().map(row -> String.valueOf(row.sequence())).collect(Collectors.joining(" "));
    }
}
