package dev.cdioutbox.tests.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.tests.server.PostgresServer;

/** The copies that Artemis keeps of all messages to the destination {@code default}, in the order of their arrival. */
final class Copies {
    private Copies() {}

    /** Each stored message has arrived once, and the messages of each key in the order of their sequences. */
    static void assertEachOnceAndInOrder(List<Message> copies, PostgresServer database) throws JMSException {
        Map<String, Long> last = new HashMap<>();
        for (Message copy : copies) {
            long sequence = copy.getLongProperty("sequence");
            Long before = last.put(copy.getStringProperty("aggregateId"), sequence);
            assertThat(before == null || before < sequence)
                    .as("%d came after %s", sequence, before)
                    .isTrue();
        }
        assertThat(ids(copies)).doesNotHaveDuplicates();
        assertThat(ids(copies))
                .containsExactlyInAnyOrderElementsOf(
                        database.query("SELECT message_id FROM outbox_message WHERE destination = 'default'"));
    }

    static List<String> ids(List<Message> copies) throws JMSException {
        List<String> ids = new ArrayList<>();
        for (Message copy : copies) {
            ids.add(copy.getStringProperty("messageId"));
        }
        return ids;
    }
}
