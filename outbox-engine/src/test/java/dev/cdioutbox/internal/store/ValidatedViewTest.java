package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.persistence.OutboxMessageView;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.junit.jupiter.api.Test;

/** Guards that Hibernate, told to validate the schema, accepts the view for the entity, and reads its rows. */
class ValidatedViewTest extends StoreContract {
    ValidatedViewTest(Database kind) {
        super(kind);
    }

    @Test
    void hibernateAcceptsTheViewAndReadsIt() {
        JdbcOutboxStore.open(
                        database.dataSource(),
                        new StoreConfig(
                                "jdbc/shop",
                                SchemaMode.CREATE,
                                "outbox_",
                                "shop",
                                1,
                                Ordering.ROW_LOCK,
                                null,
                                StoreConfig.Cdc.NONE),
                        Set.of(DESTINATION))
                .capture()
                .write(List.of(terms(message("key", "payload €"), new NewMessage.Terms(null, Duration.ofHours(1), 7))));

        StandardServiceRegistry services = new StandardServiceRegistryBuilder()
                .applySettings(Map.of(
                        "hibernate.hbm2ddl.auto", "validate", "hibernate.connection.datasource", database.dataSource()))
                .build();
        try (SessionFactory factory = new MetadataSources(services)
                .addAnnotatedClass(OutboxMessageView.class)
                .buildMetadata()
                .buildSessionFactory()) {
            List<OutboxMessageView> read = factory.fromSession(session -> session.createQuery(
                            "FROM OutboxMessageView m WHERE m.status = :status AND m.payload LIKE 'pay%'",
                            OutboxMessageView.class)
                    .setParameter("status", OutboxStatus.PENDING)
                    .getResultList());
            assertThat(read).singleElement().satisfies(one -> {
                assertThat(one.getMessageId()).hasSize(36);
                assertThat(one.getMessageKey()).isEqualTo("key");
                assertThat(one.getPayload()).isEqualTo("payload €");
                assertThat(one.getPriority()).isEqualTo(7);
            });
        }
    }
}
