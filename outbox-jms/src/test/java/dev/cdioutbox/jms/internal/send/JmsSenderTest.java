package dev.cdioutbox.jms.internal.send;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.Hashtable;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.naming.Context;
import javax.naming.spi.InitialContextFactory;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;

import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A provider that throws undeclared exceptions costs no batch and leaves no connection open. */
class JmsSenderTest {
    private static final DestinationId DEFAULT = DestinationId.ofDefaultOutbox("default");

    private static Object provider;

    private final JmsPublisher publisher =
            new JmsPublisher(JmsPublisherTest.outboxes("jms/factory", Guarantee.EXACTLY_ONCE), null);
    private final AtomicInteger closed = new AtomicInteger();

    @BeforeEach
    void name() {
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, Names.class.getName());
    }

    @AfterEach
    void forget() {
        System.clearProperty(Context.INITIAL_CONTEXT_FACTORY);
    }

    @Test
    void failureToCloseCostsNoBatch() throws Exception {
        provider = factory(false, true);

        OutboxPublisher.Sender sender = publisher.open(DEFAULT);

        assertThatCode(sender::close).doesNotThrowAnyException();
        assertThat(closed).hasValue(1);
    }

    @Test
    void failureToOpenIsTheDestinationsAndLeavesNoConnectionOpen() {
        provider = factory(true, false);

        assertThatThrownBy(() -> publisher.open(DEFAULT))
                .isInstanceOfSatisfying(PublishException.class, e -> assertThat(e.blame())
                        .isEqualTo(PublishException.Blame.DESTINATION))
                .hasRootCauseMessage("createSession");
        assertThat(closed).hasValue(1);
    }

    private ConnectionFactory factory(boolean failsToOpen, boolean failsToClose) {
        MessageProducer producer = fake(MessageProducer.class, Map.of());
        Session session = fake(Session.class, Map.of("createProducer", () -> producer));
        ConnectionMetaData metaData = fake(ConnectionMetaData.class, Map.of("getJMSProviderName", () -> "IBM"));
        Connection connection = fake(
                Connection.class,
                Map.of(
                        "getMetaData",
                        () -> metaData,
                        "createSession",
                        () -> failsToOpen ? fail("createSession") : session,
                        "close",
                        () -> closed.incrementAndGet() > 0 && failsToClose ? fail("close") : null));
        return fake(ConnectionFactory.class, Map.of("createConnection", () -> connection));
    }

    private static Object fail(String where) {
        throw new IllegalStateException(where);
    }

    private static <T> T fake(Class<T> type, Map<String, Answer> answers) {
        return type.cast(Proxy.newProxyInstance(
                JmsSenderTest.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) ->
                        answers.getOrDefault(method.getName(), () -> null).get()));
    }

    private interface Answer {
        Object get();
    }

    /** The JNDI context of the test. */
    public static final class Names implements InitialContextFactory {
        @Override
        public Context getInitialContext(Hashtable<?, ?> environment) {
            return (Context) Proxy.newProxyInstance(
                    Names.class.getClassLoader(),
                    new Class<?>[] {Context.class},
                    (proxy, method, arguments) -> method.getName().equals("lookup")
                            ? "jms/factory".equals(arguments[0]) ? provider : fake(Queue.class, Map.of())
                            : null);
        }
    }
}
