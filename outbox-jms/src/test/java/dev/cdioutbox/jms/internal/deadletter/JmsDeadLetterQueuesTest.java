package dev.cdioutbox.jms.internal.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;

import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.deadletter.DeadLetterQueues.Batch;
import dev.cdioutbox.jms.internal.consume.ReceivedMessages;
import org.junit.jupiter.api.Test;

/** Guards which letters are taken off a queue. */
class JmsDeadLetterQueuesTest {

    /** Otherwise nothing of its batch could be sent back or discarded. */
    @Test
    void letterWithoutAnIdStaysAndTheOthersAreTaken() throws JMSException {
        Deque<String> inTheQueue = new ArrayDeque<>(List.of("ID:1", "ID:2"));
        MessageConsumer consumer = ReceivedMessages.fake(
                MessageConsumer.class, (method, arguments) -> method.equals("receive") ? next(inTheQueue) : null);
        Session session = ReceivedMessages.fake(Session.class, (method, arguments) -> {
            assertThat(method).isEqualTo("createConsumer");
            assertThat(arguments[1]).asString().contains("'ID:1'").contains("'ID:2'");
            return consumer;
        });
        List<DeadLetter> letters = List.of(letter("ID:1"), letter(null), letter("ID:2"));

        Batch batch = JmsDeadLetterQueues.take(session, (Queue) null, letters, false);

        assertThat(batch.taken()).containsExactly(letter("ID:1"), letter("ID:2"));
        assertThat(batch.left()).containsExactly(letter(null));
    }

    private static Message next(Deque<String> ids) {
        String id = ids.poll();
        return id == null ? null : ReceivedMessages.fake(Message.class, (method, arguments) -> id);
    }

    private static DeadLetter letter(String id) {
        return new DeadLetter(id, null, "dead", null, null, null, Instant.EPOCH, null, null, null, Map.of());
    }
}
