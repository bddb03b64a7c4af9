package dev.cdioutbox.tests.consume.lone;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.ejb.EJBException;
import jakarta.ejb.MessageDriven;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;

import dev.cdioutbox.jms.IdempotentConsumer;

/** Needs no other class of the application and no CDI. Only server.xml names its queue. */
@IdempotentConsumer("lone")
@MessageDriven
public class LoneBean implements MessageListener {
    @Resource(lookup = "java:comp/DefaultDataSource")
    DataSource database;

    @Override
    public void onMessage(Message message) {
        try (Connection connection = database.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO ledger (consumer, note) VALUES ('lone', ?)")) {
            insert.setString(1, message.getBody(String.class));
            insert.executeUpdate();
        } catch (SQLException | JMSException e) {
            throw new EJBException(e);
        }
    }
}
