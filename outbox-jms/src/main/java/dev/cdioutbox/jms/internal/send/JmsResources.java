package dev.cdioutbox.jms.internal.send;

import javax.naming.InitialContext;
import javax.naming.NamingException;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.Topic;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/** Looks up connection factories and destinations by their currently configured names. */
public final class JmsResources {
    private JmsResources() {}

    static ConnectionFactory connectionFactory(String destination, DestinationConfig config) throws PublishException {
        return lookUp(ConnectionFactory.class, config.connectionFactory(), destination, config);
    }

    static Destination destination(String destination, DestinationConfig config) throws PublishException {
        return lookUp(Destination.class, config.jndi(), destination, config);
    }

    /** The broker's name of a destination, for traces; null if unknown. */
    public static String name(Destination destination) {
        try {
            if (destination instanceof Queue queue) {
                return queue.getQueueName();
            }
            return destination instanceof Topic topic ? topic.getTopicName() : null;
        } catch (JMSException nameless) {
            return null;
        }
    }

    private static <T> T lookUp(Class<T> type, String jndi, String destination, DestinationConfig config)
            throws PublishException {
        try {
            return type.cast(InitialContext.doLookup(jndi));
        } catch (NamingException | ClassCastException e) {
            String text = type == Destination.class
                    ? Problem.JMS_DESTINATION_NOT_FOUND.text(destination, config.jndi(), destination)
                    : Problem.JMS_UNAVAILABLE.text(destination);
            throw new PublishException(Blame.DESTINATION, text, e);
        }
    }
}
