package dev.cdioutbox.tests.bench.app;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.LongStream;
import javax.naming.InitialContext;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;

/** Empties a queue after a block, and looks at each message. */
@ApplicationScoped
public class Receipts {
    /** A page of ActiveMQ: within a transaction, its queue may hand out no more. */
    private static final int BATCH = 200;
    /** For a message that must come, on a busy machine. */
    private static final Duration LONGEST = Duration.ofSeconds(30);

    @Resource(name = "jms/bench", lookup = "java:comp/DefaultJMSConnectionFactory")
    private ConnectionFactory connections;

    @Inject
    private Transactions transactions;

    /**
     * What was in a queue.
     *
     * @param sum of the sequences, to compare with the table
     * @param outOfOrder messages that came after a later one of their key
     */
    public record Receipt(long messages, long sum, long duplicates, long outOfOrder) {}

    /**
     * Takes the messages from a queue.
     *
     * @param most after so many messages, to the precision of a batch, it leaves the others in the queue
     * @param wanted the number of messages that must come, as long as none of them takes {@link #LONGEST}
     * @param patience how many milliseconds it waits for another one. With 0, the broker looks into the queue at once;
     *     ActiveMQ's client then answers "none" while the broker's messages are on their way
     */
    Receipt empty(String jndi, long most, long wanted, int patience) throws Exception {
        Queue queue = InitialContext.doLookup(jndi);
        Seen seen = new Seen();
        long before;
        do {
            before = seen.count;
            transactions.run(() -> receive(queue, wanted, patience, seen));
        } while (seen.count == before + BATCH && seen.count < most);
        return seen.receipt();
    }

    /** Receives a batch, or less if the queue is empty. */
    private void receive(Queue queue, long wanted, int patience, Seen seen) throws JMSException {
        try (Connection connection = connections.createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
            connection.start();
            try (MessageConsumer consumer = session.createConsumer(queue)) {
                for (int i = 0; i < BATCH; i++) {
                    long millis = seen.count < wanted ? LONGEST.toMillis() : patience;
                    Message message = millis == 0 ? consumer.receiveNoWait() : consumer.receive(millis);
                    if (message == null) {
                        return;
                    }
                    seen.add(message);
                }
            }
        }
    }

    /** The messages so far. */
    private static final class Seen {
        private final LongStream.Builder sequences = LongStream.builder();
        private final Map<String, Long> last = new HashMap<>();
        private long count;
        private long outOfOrder;

        void add(Message message) throws JMSException {
            count++;
            long sequence = message.getLongProperty("sequence");
            sequences.add(sequence);
            Long before = last.put(message.getStringProperty("aggregateId"), sequence);
            if (before != null && before >= sequence) {
                outOfOrder++;
            }
        }

        Receipt receipt() {
            long[] all = sequences.build().toArray();
            long distinct = Arrays.stream(all).distinct().count();
            return new Receipt(all.length, Arrays.stream(all).sum(), all.length - distinct, outOfOrder);
        }
    }
}
