package dev.cdioutbox.tests.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.inject.Inject;

import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.rollout.OldTables;
import dev.cdioutbox.tests.rollout.Sold;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The classes and queries of docs/howto/coming-from.md: whether the rows of another outbox are taken over, or sent by the old way, each
 * sale arrives once, and those of a basket in order.
 */
@Tag("full")
@ExtendWith(ArquillianExtension.class)
class ComingFromIT {
    private static final Duration SOON = Duration.ofMinutes(2);

    /** One transaction and a part of the next one. */
    private static final int ROWS = 520;

    private static final int TAKEN_BEFORE = 500;
    private static final int FAILING = 510;
    private static final int CLERKS = 6;

    /** Headings of the page. */
    private static final String HAND_WRITTEN = "A hand-written table";

    private static final String GRUELBOX = "transaction-outbox (gruelbox)";

    @Inject
    TakeOver takeOver;

    @Inject
    Till till;

    @Inject
    Stock stock;

    @Inject
    OldTables tables;

    @Inject
    OldWays oldWays;

    @Inject
    OutboxOperations outbox;

    @Resource(lookup = "java:comp/DefaultDataSource")
    DataSource database;

    private final String basket = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return Deployments.withGruelbox(Deployments.withoutOutboxJms(Deployments.named(
                                "takeover.war",
                                "outbox.table-prefix=takeover_",
                                "outbox.routes.*=local",
                                "outbox.destinations.absent.dispatcher.enabled=false"))
                        .addPackage(ComingFromIT.class.getPackage())
                        .addClasses(OldTables.class, Sold.class))
                .addAsResource(
                        Path.of(System.getProperty("project.root"), "docs", "howto", "coming-from.md")
                                .toFile(),
                        "coming-from.md");
    }

    @Test
    void rowsAreTakenOverBeforeTheFirstRequest() {
        assertThat(tables.query("SELECT nr FROM old_outbox WHERE payload LIKE '%" + OldWays.AT_START + "%'"))
                .isEmpty();
        awaitTaken(OldWays.AT_START, OldWays.SALES_AT_START);
    }

    @Test
    void rowsOfAHandWrittenTableAreTakenOver() throws Exception {
        assertTakenOver(TakeOverAtStart.OLD_OUTBOX, tables::write, HAND_WRITTEN);
    }

    @Test
    void callsOfGruelboxAreTakenOver() throws Exception {
        assertTakenOver(OtherRows.GRUELBOX, new Gruelbox(database)::schedule, GRUELBOX);
    }

    @Test
    void publicationsOfModulithAreTakenOver() throws Exception {
        assertTakenOver(OtherRows.MODULITH, oldWays::writeByModulith, "Spring Modulith");
    }

    /** The second transaction fails in its middle. */
    private void assertTakenOver(OldRows rows, Consumer<Sold> oldWay, String heading) throws Exception {
        for (int sale = 1; sale <= ROWS; sale++) {
            oldWay.accept(OldWays.sold(basket, sale));
        }
        OldRows failing = new OldRows(rows.select(), rows.delete(), row -> {
            Sold sold = (Sold) rows.reader().event(row);
            if (sold.number() == FAILING) {
                throw new IOException("the row cannot be read");
            }
            return sold;
        });
        assertThat(oldWays.waiting(heading)).isEqualTo(ROWS);

        assertThat(takeOver.next(failing)).isEqualTo(TAKEN_BEFORE);
        assertThatThrownBy(() -> takeOver.next(failing)).isInstanceOf(IOException.class);
        assertThat(oldWays.waiting(heading)).isEqualTo(ROWS - TAKEN_BEFORE);
        assertThat(stored()).isEqualTo(TAKEN_BEFORE);

        assertThat(takeOver.next(rows)).isEqualTo(ROWS - TAKEN_BEFORE);
        assertThat(takeOver.next(rows)).isZero();
        awaitTaken(basket, ROWS);
    }

    private int stored() {
        return outbox.find(OutboxFilter.all().withKey(basket), OutboxPageRequest.of(1000))
                .size();
    }

    /** Sales go on all the time, and their threads compete for the row of the basket. */
    @Test
    void saleWaitsForThoseThatTheOldWayStillHas() throws Exception {
        tables.update("INSERT INTO basket VALUES (?, 0)", basket);
        AtomicBoolean closed = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(CLERKS);
        List<Future<?>> clerks = new ArrayList<>();
        List<AtomicLong> sales = new ArrayList<>();
        try {
            for (int clerk = 0; clerk < CLERKS; clerk++) {
                AtomicLong made = new AtomicLong();
                sales.add(made);
                clerks.add(threads.submit(() -> {
                    while (!closed.get()) {
                        till.sell(basket);
                        made.incrementAndGet();
                    }
                    return null;
                }));
            }
            await().atMost(SOON).until(() -> oldWays.waiting(HAND_WRITTEN) > 20);

            outbox.pause("stock");
            tables.update("UPDATE switch_to_outbox SET is_on = TRUE");
            List<Long> before = sales.stream().map(AtomicLong::get).toList();
            // What has found the switch off has ended.
            await().atMost(SOON).until(() -> IntStream.range(0, CLERKS)
                    .allMatch(i -> sales.get(i).get() > before.get(i)));
            await().atMost(SOON).until(() -> {
                oldWays.publishByHand();
                return oldWays.waiting(HAND_WRITTEN) == 0;
            });
            assertThat(ways()).containsExactly("old");

            outbox.resume("stock");
            await().atMost(SOON).until(() -> ways().contains("outbox"));
        } finally {
            closed.set(true);
            threads.shutdown();
            outbox.resume("stock");
        }
        for (Future<?> clerk : clerks) {
            clerk.get();
        }
        awaitTaken(basket, sales.stream().mapToInt(made -> (int) made.get()).sum());
    }

    private List<String> ways() {
        return tables.query("SELECT DISTINCT way FROM stock WHERE basket = ?", basket).stream()
                .map(row -> row.get(0))
                .toList();
    }

    @Test
    void callsThatGruelboxStillHasAreMadeFirst() {
        Gruelbox gruelbox = new Gruelbox(database);
        int calls = 10;
        IntStream.rangeClosed(1, calls).forEach(sale -> gruelbox.schedule(OldWays.sold(basket, sale)));

        outbox.pause("stock");
        try {
            till.sellByOutbox(OldWays.sold(basket, calls + 1));
            await().atMost(SOON).until(() -> {
                gruelbox.flush();
                return oldWays.waiting(GRUELBOX) == 0;
            });
            assertThat(stock.taken(basket)).hasSize(calls).doesNotContain(calls + 1);
        } finally {
            outbox.resume("stock");
        }

        await().atMost(SOON).until(() -> stock.taken(basket).size() > calls);
        assertThat(stock.taken(basket)).last().isEqualTo(calls + 1);
    }

    private void awaitTaken(String ofBasket, int number) {
        await().atMost(SOON).until(() -> stock.taken(ofBasket).size() >= number);
        assertThat(stock.taken(ofBasket))
                .isEqualTo(IntStream.rangeClosed(1, number).boxed().toList());
    }
}
