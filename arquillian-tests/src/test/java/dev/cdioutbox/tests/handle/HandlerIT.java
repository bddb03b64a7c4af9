package dev.cdioutbox.tests.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.consume.Ledger;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.jdbc.CountedDataSource;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Handlers of an application without a broker: each event takes effect once, in order, and a failure holds up its key alone. */
@ExtendWith(ArquillianExtension.class)
class HandlerIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    /** The dispatcher's transactions, and no others, time out after 4 s. */
    private static final String SHORT_TRANSACTIONS = """
            <ejb-jar-ext xmlns="http://websphere.ibm.com/xml/ns/javaee" version="1.1">
              <session name="ContainerTransactions"><global-transaction transaction-time-out="4" /></session>
            </ejb-jar-ext>""";

    @Inject
    Event<Placed> placed;

    @Inject
    Ledger ledger;

    @Inject
    UserTransaction transaction;

    @Inject
    OutboxOperations outbox;

    private final String order = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return Deployments.withoutOutboxJms(Deployments.named(
                        "handler-tests.war",
                        "outbox.datasource=jdbc/small",
                        "outbox.dispatcher.datasource=jdbc/beside",
                        "outbox.table-prefix=handle_",
                        "outbox.routes.*=local",
                        "outbox.destinations.absent.dispatcher.enabled=false",
                        "outbox.retry.base-delay=PT10M"))
                .addPackage(HandlerIT.class.getPackage())
                .addClasses(Ledger.class, CountedDataSource.class)
                .addAsWebInfResource(new StringAsset(SHORT_TRANSACTIONS), "ibm-ejb-jar-ext.xml");
    }

    @BeforeEach
    void open() {
        ledger.open();
    }

    @Test
    void eachHandlerGetsEachEventOnceAndInOrder() throws Exception {
        place(order, 10, "");

        awaitPublished("shipping", 10);
        awaitPublished("billing", 10);
        List<String> steps = IntStream.rangeClosed(1, 10)
                .mapToObj(step -> order + " " + step)
                .toList();
        assertThat(ledger.notes("shipping", order + "%")).isEqualTo(steps);
        assertThat(ledger.notes("billing", order + "%")).isEqualTo(steps);
    }

    @Test
    void requestScopedHandlerIsNewForEachMessage() throws Exception {
        place(order, 2, "");

        awaitPublished("news", 2);
        assertThat(ledger.notes("news", order + "%")).containsExactly(order + " call 1", order + " call 1");
    }

    @Test
    void whatAHandlerFiresIsCausedByItsMessage() throws Exception {
        place(order, 1, "");

        awaitPublished("news", 1);
        OutboxMessage cause = stored("shipping").get(0);
        OutboxMessage effect = stored("news").get(0);
        assertThat(effect.context().causationId()).isEqualTo(cause.id().toString());
        assertThat(effect.context().correlationId()).isEqualTo(cause.id().toString());
        assertThat(effect.context().headers()).containsEntry("generation", "2");
    }

    @Test
    void workOfAFailedCallIsRolledBackAndOnlyItsKeyWaits() throws Exception {
        String healthy = UUID.randomUUID().toString();
        place(order, 2, "fails");
        place(healthy, 1, "");

        awaitFailed("shipping");
        await().atMost(SOON)
                .until(() -> !ledger.notes("shipping", healthy + "%").isEmpty());
        assertThat(ledger.notes("shipping", order + "%")).isEmpty();
        assertThat(stored("news")).as("fired by the handler that failed").isEmpty();
        assertThat(stored("shipping"))
                .extracting(message -> message.delivery().attempts())
                .containsExactly(1, 0);
        assertThat(lastError("shipping")).contains("OBX-0461").endsWith("no lorry");

        Shipping.MENDED.add(order);
        outbox.retry(stored("shipping").get(0).id());
        awaitPublished("shipping", 2);
        assertThat(ledger.notes("shipping", order + "%")).containsExactly(order + " 1", order + " 2");
    }

    @Test
    void messageThatItsHandlerGivesUpIsAbandonedAtOnce() throws Exception {
        place(order, 1, "never");

        await().atMost(SOON).until(() -> stored("shipping").get(0).delivery().status() == OutboxStatus.ABANDONED);
        assertThat(ledger.notes("shipping", order + "%")).isEmpty();
        assertThat(lastError("shipping")).contains("no such address");
    }

    @Test
    void handlerThatMarksItsTransactionForRollbackHasFailed() throws Exception {
        place(order, 1, "marks");

        awaitFailed("billing");
        assertThat(ledger.notes("billing", order + "%")).isEmpty();
        assertThat(lastError("billing")).contains("OBX-0462");
    }

    /** The container wraps the exception, and marks the transaction for rollback. */
    @Test
    void ejbThatThrowsHasFailed() throws Exception {
        place(order, 1, "throws");

        awaitFailed("billing");
        assertThat(ledger.notes("billing", order + "%")).isEmpty();
        assertThat(lastError("billing")).contains("OBX-0461", "no account");
    }

    @Test
    void timeOutOfTheTransactionIsThatOfTheMessage() throws Exception {
        place(order, 1, "slow");

        awaitFailed("shipping");
        assertThat(ledger.notes("shipping", order + "%")).isEmpty();
        assertThat(lastError("shipping")).contains("OBX-0424", "time-out of 4 s");
    }

    /** Two branches would be prepared, and the dispatcher has another DataSource. */
    @Test
    void workAndSettlementAreOneBranchThatIsCommittedInOnePhase() throws Exception {
        Queue<String> calls = new ConcurrentLinkedQueue<>();
        System.getProperties().put(CountedDataSource.CALLS, calls);
        try {
            place(order, 1, "");
            awaitPublished("billing", 1);
            awaitPublished("news", 1);
        } finally {
            System.getProperties().remove(CountedDataSource.CALLS);
        }
        assertThat(calls).noneMatch(call -> call.endsWith(" prepare"));
        assertThat(branchWith("INTO ledger", calls))
                .anyMatch(call -> call.contains("handle_delivery"))
                .last()
                .isEqualTo("commit in one phase");
    }

    /** The calls of the thread that made this one, from the begin to the end of its branch. */
    private static List<String> branchWith(String part, Collection<String> calls) {
        List<String> branch = new ArrayList<>();
        String thread = calls.stream()
                .filter(call -> call.contains(part))
                .map(call -> call.substring(0, call.indexOf(' ') + 1))
                .findFirst()
                .orElseThrow();
        for (String call : calls) {
            if (call.startsWith(thread)) {
                String made = call.substring(thread.length());
                if (made.equals("start")) {
                    branch.clear();
                }
                branch.add(made);
                if (made.startsWith("commit") && branch.stream().anyMatch(each -> each.contains(part))) {
                    return branch;
                }
            }
        }
        throw new AssertionError("no end of the branch among " + calls);
    }

    private void place(String key, int steps, String trouble) throws Exception {
        transaction.begin();
        for (int step = 1; step <= steps; step++) {
            placed.fire(new Placed(key, step, trouble));
        }
        transaction.commit();
    }

    private void awaitPublished(String handler, int messages) {
        await().atMost(SOON)
                .until(() -> stored(handler).stream()
                                .filter(message -> message.delivery().status() == OutboxStatus.PUBLISHED)
                                .count()
                        == messages);
    }

    private void awaitFailed(String handler) {
        await().atMost(SOON).until(() -> stored(handler).get(0).delivery().status() == OutboxStatus.FAILED);
    }

    private String lastError(String handler) {
        return stored(handler).get(0).delivery().lastError();
    }

    private List<OutboxMessage> stored(String handler) {
        return outbox.find(OutboxFilter.all().withKey(order).withDestination(handler)).stream()
                .sorted(Comparator.comparing(OutboxMessage::sequence))
                .toList();
    }
}
