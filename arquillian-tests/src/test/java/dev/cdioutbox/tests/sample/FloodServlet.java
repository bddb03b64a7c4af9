package dev.cdioutbox.tests.sample;

import jakarta.annotation.Resource;
import jakarta.inject.Inject;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Sends messages to both consumers. */
@WebServlet("/flood")
public class FloodServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Inject
    private transient JMSContext jms;

    @Resource(lookup = "jms/outbox")
    private transient Queue shipping;

    @Resource(lookup = "jms/arrivals")
    private transient Queue arrivals;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
        int messages = Integer.parseInt(request.getParameter("messages"));
        for (int i = 0; i < messages; i++) {
            for (Queue queue : new Queue[] {shipping, arrivals}) {
                jms.createProducer()
                        .setProperty("messageId", "flood-" + i)
                        .setProperty("eventType", "OrderPlaced")
                        .setProperty("schemaVersion", 1)
                        .setProperty("aggregateId", "order-" + i)
                        .send(queue, "{\"orderId\":\"order-" + i + "\"}");
            }
        }
    }
}
