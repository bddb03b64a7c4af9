package dev.cdioutbox.tests.ear;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.tests.ear.shared.Shared;
import dev.cdioutbox.tests.ear.shared.SharedAndAnnotated;
import org.eclipse.microprofile.config.ConfigProvider;

/** Fires events, and reads messages from the WAR's queue. */
@WebServlet({"/own", "/shared", "/annotated", "/received", "/applications"})
public class FiringServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final long PATIENCE = 60_000;

    @Inject
    private transient Event<Object> events;

    @Inject
    private transient JMSContext jms;

    @Resource
    private transient UserTransaction transaction;

    @Resource
    private transient DataSource dataSource;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String id = request.getParameter("id");
        String answer =
                switch (request.getServletPath()) {
                    case "/own" -> fire(events, new Own(id));
                    case "/shared" ->
                        fire(events.select(OutboxEvent.Literal.of("shared").withKey("id")), new Shared(id));
                    case "/annotated" -> fire(events, new SharedAndAnnotated(id));
                    case "/applications" -> applications(id);
                    default -> received();
                };
        response.getWriter().print(answer);
    }

    private String fire(Event<Object> way, Object event) {
        try {
            transaction.begin();
            try {
                way.fire(event);
            } catch (RuntimeException refused) {
                transaction.rollback();
                return refused.getMessage();
            }
            transaction.commit();
            return "committed";
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** The applications whose messages have this key. */
    private String applications(String key) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement select = connection.prepareStatement(
                        "SELECT DISTINCT application FROM outbox_message WHERE message_key = ? ORDER BY application")) {
            select.setString(1, key);
            List<String> found = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getString(1));
                }
            }
            return found.toString();
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Receives a message and returns its type and key; "nothing" after a minute. */
    private String received() {
        try {
            String jndi = ConfigProvider.getConfig().getValue("outbox.destinations.default.jndi", String.class);
            Message message = jms.createConsumer(InitialContext.doLookup(jndi)).receive(PATIENCE);
            return message == null
                    ? "nothing"
                    : message.getStringProperty("eventType") + " " + message.getStringProperty("aggregateId");
        } catch (NamingException | JMSException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
