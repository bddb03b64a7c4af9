package dev.cdioutbox.tests.deployment;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.Singleton;
import jakarta.ejb.Startup;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxEvent;

/** Creates the tables of the outbox when the application starts, as Flyway does inside of an application. */
@Singleton
@Startup
@TransactionManagement(TransactionManagementType.BEAN)
public class MigrationBean {
    @Resource(lookup = "jdbc/later")
    DataSource dataSource;

    @Inject
    Event<Migrated> events;

    @Inject
    UserTransaction transaction;

    private String refusal;

    @OutboxEvent(type = "Migrated")
    public record Migrated(String moment) {}

    @PostConstruct
    void migrate() {
        try {
            refusal = fire("before the tables");
            createTables();
            // After a refusal, the outbox looks again only when a second has passed.
            await().pollInSameThread().until(() -> fire("after") == null);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the refusal, or null. */
    private String fire(String moment) throws Exception {
        transaction.begin();
        try {
            events.fire(new Migrated(moment));
        } catch (RuntimeException e) {
            transaction.rollback();
            return e.getMessage();
        }
        transaction.commit();
        return null;
    }

    private void createTables() throws IOException, SQLException {
        try (InputStream file = OutboxEvent.class.getResourceAsStream("internal/store/schema/h2/1.sql");
                Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            for (String each : text.replaceAll("\\$\\{\\w+}", "outbox_").split(";\\s*\\n")) {
                statement.execute(each);
            }
        }
    }

    public String refusal() {
        return refusal;
    }
}
