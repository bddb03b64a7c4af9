package dev.cdioutbox.tests.kafka;

import java.io.IOException;
import java.util.stream.Collectors;

import jakarta.annotation.Resource;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxMessage.Delivery;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;

/** Sends a parcel, and says what has become of it. */
@WebServlet("/parcels")
public class ParcelServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final int SOON = 30_000;

    @Inject
    transient Event<Parcel> parcels;

    @Inject
    transient UserTransaction transaction;

    @Inject
    transient OutboxOperations outbox;

    @Inject
    transient JMSContext jms;

    @Resource(lookup = "jms/outbox")
    transient Queue queue;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws ServletException {
        if (request.getParameter("replay") != null) {
            outbox.replay(sent(request.getParameter("id")), OutboxPageRequest.of(1));
            return;
        }
        try {
            transaction.begin();
            parcels.fire(new Parcel(request.getParameter("id")));
            if (request.getParameter("rollback") == null) {
                transaction.commit();
            } else {
                transaction.rollback();
            }
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String id = request.getParameter("id");
        response.getWriter()
                .print(
                        switch (request.getParameter("what")) {
                            case "states" ->
                                outbox.find(OutboxFilter.all().withKey(id)).stream()
                                        .map(message -> message.delivery())
                                        .map(ParcelServlet::state)
                                        .sorted()
                                        .collect(Collectors.joining("\n"));
                            case "jms" -> received(id);
                            case "handled" -> String.valueOf(Handled.times(id));
                            default -> String.join("\n", threads());
                        });
    }

    private static OutboxFilter sent(String id) {
        return OutboxFilter.all().withKey(id).withDestination("parcels").withStatus(OutboxStatus.PUBLISHED);
    }

    private static String state(Delivery delivery) {
        return delivery.destination() + " " + delivery.status() + " " + delivery.brokerMessageId();
    }

    private String received(String id) {
        Message message =
                jms.createConsumer(queue, "aggregateId = '" + id + "'").receive(SOON);
        return message == null ? "nothing" : "received";
    }

    private static Iterable<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
    }
}
