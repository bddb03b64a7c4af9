package dev.cdioutbox.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;

import jakarta.transaction.Status;

import dev.cdioutbox.internal.capture.FakeRegistry;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.transport.CausingMessage;
import org.junit.jupiter.api.Test;

/** Guards which message is the cause of what entities fire at the flush, after the consumer has returned. */
class TransactionCauseTest {
    private static final CausingMessage FIRST = new CausingMessage("first", null, "tenant", null, null, 3);
    private static final CausingMessage SECOND = new CausingMessage("second", null, null, null, null);
    private static final CausingMessage UNKNOWN = new CausingMessage(null, null, null, null, null);

    private final FakeRegistry transactions = new FakeRegistry();
    private final TransactionCause cause = new TransactionCause();

    TransactionCauseTest() {
        cause.outboxes = new Outboxes(List.of(), transactions, Set::of);
    }

    @Test
    void messageRemainsTheCauseUntilItsTransactionEnds() throws Exception {
        handle(FIRST);
        assertThat(atTheFlush()).isEqualTo(FIRST);

        handle(FIRST);
        assertThat(atTheFlush()).as("handed to another consumer").isEqualTo(FIRST);

        transactions.commit();
        assertThat(atTheFlush()).isNull();
    }

    @Test
    void innerMessageDoesNotReplaceThatOfTheTransaction() throws Exception {
        cause.handles(FIRST);
        FIRST.during(() -> {
            handle(SECOND);
            return null;
        });

        assertThat(atTheFlush()).isEqualTo(FIRST);
    }

    /** No cause is better than a wrong one, with another tenant. */
    @Test
    void ofSeveralMessagesNoneIsTheCause() throws Exception {
        handle(FIRST);
        handle(SECOND);
        handle(FIRST);

        assertThat(atTheFlush()).isEqualTo(UNKNOWN);
    }

    @Test
    void withoutATransactionThereIsNoFlush() throws Exception {
        transactions.end(Status.STATUS_COMMITTED);
        handle(FIRST);

        assertThat(atTheFlush()).isNull();
    }

    private void handle(CausingMessage message) throws Exception {
        cause.handles(message);
        message.during(() -> null);
    }

    private Object atTheFlush() {
        return transactions.getResource(CausingMessage.class);
    }
}
