package dev.cdioutbox.tests.sample;

import java.io.IOException;

import jakarta.annotation.Resource;
import jakarta.inject.Inject;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Hands a consumer a message that no container delivered, with the trace that the request names. */
@WebServlet("/by-hand")
public class ByHand extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Resource(lookup = "java:comp/DefaultJMSConnectionFactory")
    private transient ConnectionFactory connections;

    @Inject
    private transient HandWork work;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try (Connection connection = connections.createConnection();
                Session session = connection.createSession()) {
            Message message = session.createMessage();
            message.setStringProperty("messageId", request.getParameter("id"));
            message.setStringProperty("traceparent", request.getParameter("traceparent"));
            work.handle(message);
        } catch (JMSException e) {
            throw new IOException(e);
        }
    }
}
