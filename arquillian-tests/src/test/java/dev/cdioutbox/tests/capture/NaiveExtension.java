package dev.cdioutbox.tests.capture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.inject.spi.WithAnnotations;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.spi.OutboxSerializer;

/**
 * A naive outbox: each discovered event type gets a BEFORE_COMPLETION observer that inserts a row.
 * {@link NaiveCaptureIT} deploys this extension instead of the outbox.
 */
public class NaiveExtension implements Extension {
    private final List<Class<?>> types = new ArrayList<>();

    <T> void discover(@Observes @WithAnnotations(OutboxEvent.class) ProcessAnnotatedType<T> found) {
        types.add(found.getAnnotatedType().getJavaClass());
        found.veto();
    }

    void install(@Observes AfterBeanDiscovery discovery) {
        for (Class<?> type : types) {
            discovery
                    .addObserverMethod()
                    .observedType(type)
                    .transactionPhase(TransactionPhase.BEFORE_COMPLETION)
                    .notifyWith(NaiveExtension::store);
        }
    }

    void open(@Observes AfterDeploymentValidation valid) {
        Stored stored = new Stored();
        stored.execute("DROP TABLE IF EXISTS " + Stored.table());
        stored.execute("CREATE TABLE " + Stored.table()
                + " (seq BIGINT GENERATED ALWAYS AS IDENTITY, event_type VARCHAR(255), message_key VARCHAR(255),"
                + " payload VARCHAR(4000))");
    }

    private static void store(EventContext<Object> fired) throws Exception {
        Object event = fired.getEvent();
        insert(
                event.getClass().getAnnotation(OutboxEvent.class).type(),
                (String) event.getClass().getMethod("key").invoke(event),
                CDI.current()
                        .select(OutboxSerializer.class)
                        .get()
                        .serialize(event)
                        .text());
    }

    private static void insert(String type, String key, String payload) throws SQLException {
        try (Connection connection = Stored.dataSource().getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO " + Stored.table() + " (event_type, message_key, payload) VALUES (?, ?, ?)")) {
            insert.setString(1, type);
            insert.setString(2, key);
            insert.setString(3, payload);
            insert.executeUpdate();
        }
    }
}
