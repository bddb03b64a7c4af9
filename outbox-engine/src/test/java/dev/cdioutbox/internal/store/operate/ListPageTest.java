package dev.cdioutbox.internal.store.operate;

import static dev.cdioutbox.internal.store.TestMessages.aggregate;
import static dev.cdioutbox.internal.store.TestMessages.context;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPage;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards the pages of a list: a page scans a window of ten rows and no more, and no message is missing or shown twice.
 */
class ListPageTest extends StoreContract {
    private static final int ROWS = 10;
    private static final OutboxFilter RARE = OutboxFilter.all().withKey("rare");

    private static final OutboxPageRequest TWO = OutboxPageRequest.of(2);

    private static final OutboxPageRequest HUNDRED = OutboxPageRequest.of(100);

    private final JdbcOutboxStore store = database.open(1);
    private final Dialect dialect = database.kind().dialect();
    private final MessageFinder finder = new MessageFinder(
            new Connections(database.dataSource()), "shop", new Sql(TestDatabase.PREFIX, dialect), ROWS);

    ListPageTest(Database kind) {
        super(kind);
    }

    @Test
    void pagesShowEachMessageOnceTheNewestFirst() throws SQLException {
        for (int i = 0; i < 5; i++) {
            store.capture().write(List.of(message("rare", "rare " + i)));
            store.capture().write(numbered(0, 8, 8));
        }
        publishAll();

        List<String> shown = new ArrayList<>();
        int pages = 0;
        for (OutboxPageRequest next = TWO; next != null; ) {
            OutboxPage page = finder.page(RARE, next);
            next = page.next();
            assertThat(page.messages()).hasSizeLessThanOrEqualTo(2);
            shown.addAll(texts(page.messages()));
            pages++;
        }

        assertThat(shown).containsExactly("rare 4", "rare 3", "rare 2", "rare 1", "rare 0");
        assertThat(pages).isBetween(4, 6);
    }

    @Test
    void findReadsWindowAfterWindowUntilItsLimit() throws SQLException {
        for (int i = 0; i < 5; i++) {
            store.capture().write(List.of(message("rare", "rare " + i)));
            store.capture().write(numbered(0, 12, 12));
        }
        publishAll();
        database.update("UPDATE shop_message SET headers = 'no json' WHERE seq = ?", database.sequence("rare 3"));

        assertThat(found(RARE, TWO)).containsExactly("rare 4", "rare 2");
        assertThat(found(RARE, HUNDRED)).containsExactly("rare 4", "rare 2", "rare 1", "rare 0");
        assertThat(found(RARE, TWO.withBefore(database.sequence("rare 0")))).isEmpty();
    }

    private List<String> found(OutboxFilter filter, OutboxPageRequest request) {
        return texts(finder.find(filter, request));
    }

    @Test
    void emptyPageReportsHowFarItScanned() throws SQLException {
        store.capture().write(numbered(0, 25, 25));
        publishAll();

        OutboxPage first = finder.page(RARE, TWO);
        OutboxPage second = finder.page(RARE, first.next());
        OutboxPage third = finder.page(RARE, second.next());

        assertThat(first.messages()).isEmpty();
        assertThat(first.next()).isEqualTo(TWO.withBefore(database.sequence("15")));
        assertThat(second.next()).isEqualTo(TWO.withBefore(database.sequence("5")));
        assertEmpty(third);
    }

    @Test
    void whatWaitsIsFoundAtOnceBehindAllThatIsDone() throws SQLException {
        store.capture().write(numbered(0, 3, 1));
        List<Long> old = List.of(database.sequence("0"), database.sequence("1"), database.sequence("2"));
        store.capture().write(numbered(3, 40, 1));
        database.settle(OutboxStatus.PUBLISHED, "seq > " + old.get(2));
        OutboxFilter waiting = OutboxFilter.all().withStatus(OutboxStatus.PENDING);

        OutboxPage page = finder.page(waiting, TWO);
        OutboxPage last = finder.page(waiting, page.next());

        assertThat(texts(page.messages())).containsExactly("2", "1");
        assertThat(texts(last.messages())).containsExactly("0");
        assertThat(last.next()).isNull();
    }

    /** No index has these ids, so the list scans windows. */
    @Test
    void messageIsFoundByItsContextBehindManyOthers() throws SQLException {
        Context context = new Context("checkout-1", "message-1", "north", Map.of());
        store.capture().write(List.of(context(message("a", "one"), context)));
        store.capture().write(numbered(0, 25, 25));
        store.capture()
                .write(List.of(
                        context(message("a", "other"), new Context("CHECKOUT-1", "message-10", "nort", Map.of()))));
        List<OutboxFilter> filters = List.of(
                OutboxFilter.all().withCorrelationId("checkout-1"),
                OutboxFilter.all().withCausationId("message-1"),
                OutboxFilter.all().withTenantId("north"));

        assertThat(filters).allSatisfy(filter -> {
            assertThat(found(filter, HUNDRED)).containsExactly("one");
            assertThat(finder.page(filter, HUNDRED).next())
                    .as("where the first window ends")
                    .isEqualTo(HUNDRED.withBefore(database.sequence("16")));
            assertThat(store.finder().candidates(MessageOperation.DISCARD, filter, HUNDRED))
                    .as("by the index of the queues")
                    .containsExactly(database.sequence("one"));
        });
    }

    /** The key of a message without an aggregate id is its aggregate's. */
    @Test
    void messageIsFoundByItsAggregate() {
        store.capture()
                .write(List.of(
                        aggregate(message("customer-1", "of the order"), "order-1"),
                        message("order-1", "with the key"),
                        aggregate(message("order-1", "of another"), "order-2"),
                        message("order-2", "other")));
        OutboxFilter filter = OutboxFilter.all().withAggregateId("order-1");

        assertThat(found(filter, HUNDRED)).containsExactly("with the key", "of the order");
        assertThat(store.finder().candidates(MessageOperation.DISCARD, filter, HUNDRED))
                .hasSize(2);
    }

    /** If more messages wait than a window has rows, the index of the queues does not help. */
    @Test
    void whereTooMuchWaitsItIsWalkedThroughToo() throws SQLException {
        store.capture().write(numbered(0, 25, 25));
        OutboxFilter waiting = RARE.withStatus(OutboxStatus.PENDING);

        assertThat(finder.page(waiting, TWO).next()).isEqualTo(TWO.withBefore(database.sequence("15")));
    }

    @Test
    void timesBoundTheKeyRange() throws SQLException {
        store.capture().write(numbered(0, 40, 40));
        publishAll();
        Instant noon = Instant.parse("2026-03-29T12:00:00Z");
        for (int i = 0; i < 40; i++) {
            database.setTime(
                    "message",
                    "created_at",
                    noon.plus(Duration.ofMinutes(10L * i)),
                    "seq = " + database.sequence("" + i));
        }
        OutboxFilter hour =
                OutboxFilter.all().withCreated(noon.plus(Duration.ofMinutes(60)), noon.plus(Duration.ofMinutes(120)));

        OutboxPage page = finder.page(hour, HUNDRED);

        assertThat(texts(page.messages())).containsExactly("11", "10", "9", "8", "7", "6");
        assertThat(page.next()).isNull();
        assertEmpty(finder.page(hour.withCreated(null, noon.minusSeconds(3600)), HUNDRED));
        assertThat(texts(finder.page(hour.withCreated(noon.plus(Duration.ofMinutes(380)), null), HUNDRED)
                        .messages()))
                .containsExactly("39", "38");
    }

    @Test
    void pageOfAnEmptyTableIsTheLast() throws SQLException {
        assertEmpty(finder.page(OutboxFilter.all(), HUNDRED));
        assertEmpty(store.finder().page(OutboxFilter.all(), HUNDRED));
    }

    /**
     * An operator or a newer version, whose tables take other numbers, may have written such a row. The page must not end there, and the next page must
     * not begin far behind.
     */
    @Test
    void rowThatCannotBeReadCostsItselfOnAPageAndNotThoseBehindIt() throws SQLException {
        store.capture().write(numbered(0, 9, 9));
        database.update("UPDATE shop_message SET headers = 'no json' WHERE seq = ?", database.sequence("7"));
        database.update("ALTER TABLE shop_queue DROP CONSTRAINT shop_queue_status");
        database.updateQueue("status = 99", "payload = '5'");
        for (OutboxFilter filter :
                List.of(OutboxFilter.all(), OutboxFilter.all().withStatus(OutboxStatus.PENDING))) {
            List<String> shown = new ArrayList<>();
            List<Long> unreadable = new ArrayList<>();
            for (OutboxPageRequest next = TWO; next != null; ) {
                OutboxPage page = finder.page(filter, next);
                next = page.next();
                shown.addAll(texts(page.messages()));
                page.unreadable().forEach(row -> unreadable.add(row.sequence()));
            }
            assertThat(shown).containsExactly("8", "6", "4", "3", "2", "1", "0");
            assertThat(unreadable)
                    .isEqualTo(
                            filter.statuses().isEmpty()
                                    ? List.of(database.sequence("7"), database.sequence("5"))
                                    : List.of(database.sequence("7")));
        }
        assertThat(texts(store.finder().find(OutboxFilter.all(), HUNDRED))).hasSize(7);
        assertThat(store.status().backlog().pending()).isEqualTo(8);
    }

    /** An operator has to tell the row from others, and to act on it. The parser of JSON has several exceptions. */
    @ParameterizedTest
    @ValueSource(strings = {"no json", "{\"a\":1}", "DEEP"})
    void rowThatCannotBeReadIsListedWithWhatIsKnownOfIt(String headers) throws SQLException {
        store.capture().write(List.of(message("key-1", "broken")));
        String id = database.query("SELECT message_id FROM shop_message").get(0);
        database.update("UPDATE shop_message SET headers = ?", headers.replace("DEEP", "{\"a\":" + "[".repeat(2_000)));
        database.updateQueue("status = 2", "1 = 1");

        assertThat(finder.page(OutboxFilter.all().withStatus(OutboxStatus.ABANDONED), HUNDRED)
                        .unreadable())
                .singleElement()
                .satisfies(row -> assertThat(row.problem()).isNotBlank())
                .extracting(
                        OutboxPage.Unreadable::sequence,
                        OutboxPage.Unreadable::id,
                        OutboxPage.Unreadable::status,
                        OutboxPage.Unreadable::type,
                        OutboxPage.Unreadable::key,
                        OutboxPage.Unreadable::destination)
                .containsExactly(database.sequence("broken"), id, "ABANDONED", "OrderPlaced", "key-1", "default");
        assertThat(store.finder().find(OutboxFilter.all(), HUNDRED)).isEmpty();
    }

    @Test
    void listIsAPageWithoutPayloads() {
        store.capture().write(numbered(0, 3, 3));

        assertThat(store.finder().page(OutboxFilter.all(), HUNDRED).messages())
                .extracting(m -> m.body().text())
                .containsExactly("2", "1", "0");
        assertThat(store.finder().list(OutboxFilter.all(), HUNDRED).messages())
                .extracting(m -> m.body().text(), m -> m.body().bytes())
                .containsOnly(tuple("", 1))
                .hasSize(3);
    }

    private static void assertEmpty(OutboxPage page) {
        assertThat(page.messages()).isEmpty();
        assertThat(page.unreadable()).isEmpty();
        assertThat(page.next()).isNull();
    }

    private void publishAll() {
        database.settle(OutboxStatus.PUBLISHED, "1 = 1");
    }
}
