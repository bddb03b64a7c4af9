package dev.cdioutbox.tests.rollout;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.annotation.Resource;
import jakarta.ejb.EJBException;
import jakarta.ejb.Stateless;
import jakarta.inject.Inject;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;

/** Receives all messages of the partner's queue, from either publisher. */
@Stateless
public class Inbox {
    private static final Pattern NUMBER = Pattern.compile("\"number\":(\\d+)");

    @Inject
    JMSContext jms;

    @Resource(lookup = "jms/rollout")
    Queue queue;

    /** Receives the messages that are in the queue now, at most a thousand. */
    public List<ReceivedMessage> take() {
        List<ReceivedMessage> arrivals = new ArrayList<>();
        try (JMSConsumer consumer = jms.createConsumer(queue)) {
            Message message = consumer.receiveNoWait();
            while (message != null) {
                arrivals.add(arrival(message));
                message = arrivals.size() < 1000 ? consumer.receiveNoWait() : null;
            }
        } catch (JMSException e) {
            throw new EJBException(e);
        }
        return arrivals;
    }

    private static ReceivedMessage arrival(Message message) throws JMSException {
        String text = message.getBody(String.class);
        Matcher number = NUMBER.matcher(text);
        if (!number.find()) {
            throw new IllegalStateException(text);
        }
        return new ReceivedMessage(
                text.replaceAll(".*\"basket\":\"([^\"]*)\".*", "$1"),
                Integer.parseInt(number.group(1)),
                "old".equals(message.getStringProperty("publisher")));
    }

    /** A received sale, with its publisher. */
    public record ReceivedMessage(String basket, int number, boolean fromTheOld) {}
}
