package dev.cdioutbox.tests.serialization;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.naming.InitialContext;

import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The outbox serializes with the application's {@code Jsonb}, and fire() refuses an event that breaks its constraints.
 */
@ExtendWith(ArquillianExtension.class)
class SerializationIT {
    private static final String SECRET = "Ada, Countess of Lovelace";

    @Inject
    Reservations reservations;

    @Inject
    Event<Reserved> events;

    @Inject
    OutboxOperations outbox;

    private final String order = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return Deployments.assertions(Deployments.outbox("serialization-tests.war"))
                .addPackage(SerializationIT.class.getPackage());
    }

    @Test
    void applicationsOwnJsonbWritesTheEvent() {
        reservations.reserve(new Reserved(order, "Ada", 1, 2));

        assertThat(stored()).singleElement().satisfies(message -> {
            assertThat(message.body().contentType()).isEqualTo("application/json");
            assertThat(message.body().text())
                    .contains("\"order_id\":\"" + order + "\"", "\"customer_name\":\"Ada\"", "\"first_seat\":1");
        });
    }

    @Test
    void ruleOfAPropertyFailsFire() {
        assertRefused(new Reserved(order, SECRET, 1, 2), "customerName size must be between 0 and 10");
        assertRefused(new Reserved(order, null, 1, 2), "customerName must not be null");
    }

    @Test
    void ruleOfTheWholeEventFailsFire() {
        assertRefused(new Reserved(order, "Ada", 4321, 1234), "lastSeat the last seat comes before the first");
    }

    @Test
    void everyBrokenRuleIsNamed() {
        assertRefused(
                new Reserved(order, SECRET, 4321, 1234),
                "customerName size must be between 0 and 10; lastSeat the last seat comes before the first");
    }

    /**
     * Asserts a refusal that names the property and the reason, and never the value. Nothing of the transaction
     * commits.
     */
    private void assertRefused(Reserved invalid, String why) {
        assertThat(reservations.reserveAndGoOn(new Reserved(order, "Ada", 1, 2), invalid))
                .isInstanceOf(EventRefusedException.class)
                .hasMessage("OBX-0113: event " + Reserved.class.getName() + " breaks its own constraints: " + why
                        + ". Correct it before it is fired.")
                .message()
                .doesNotContain(SECRET, "4321", "1234");
        assertThat(stored()).isEmpty();
    }

    /** On a raw thread or in a parallel stream, Liberty's proxy of the Validator fails. */
    @Test
    void rulesHoldOnAThreadThatBelongsToNoComponent() throws Exception {
        assertThat(fireOnRawThread(new Reserved(order, "Ada", 2, 1)))
                .hasMessageStartingWith("OBX-0113")
                .hasMessageContaining("the last seat comes before the first");
        assertThat(stored()).isEmpty();

        assertThat(fireOnRawThread(new Reserved(order, "Ada", 1, 2))).isNull();
        assertThat(stored()).hasSize(1);
    }

    private RuntimeException fireOnRawThread(Reserved event) throws Exception {
        UserTransaction transaction = InitialContext.doLookup("java:comp/UserTransaction");
        FutureTask<RuntimeException> work = new FutureTask<>(() -> {
            transaction.begin();
            try {
                events.fire(event);
            } catch (RuntimeException refused) {
                transaction.rollback();
                return refused;
            }
            transaction.commit();
            return null;
        });
        new Thread(work).start();
        return work.get(1, TimeUnit.MINUTES);
    }

    private List<OutboxMessage> stored() {
        return outbox.find(OutboxFilter.all().withKey(order));
    }
}
