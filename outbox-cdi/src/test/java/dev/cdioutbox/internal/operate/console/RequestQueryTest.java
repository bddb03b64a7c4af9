package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Map;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import org.junit.jupiter.api.Test;

/** Guards that the parameters of a request select exactly the intended messages. */
class RequestQueryTest {

    @Test
    void emptyValuesAreNotGiven() {
        assertThat(of(Map.of("type", new String[] {" "}, "status", new String[] {""}))
                        .filter())
                .isEqualTo(OutboxFilter.all());
    }

    @Test
    void parametersMakeAFilter() {
        assertThat(of(Map.of(
                                "status", new String[] {"FAILED", "ABANDONED"},
                                "key", new String[] {"o-1"},
                                "correlation", new String[] {"checkout-1"},
                                "causation", new String[] {"message-1"},
                                "tenant", new String[] {"north "},
                                "from", new String[] {"2026-01-31T23:59:59Z"},
                                "below", new String[] {"7"}))
                        .filter())
                .isEqualTo(OutboxFilter.all()
                        .withStatus(OutboxStatus.FAILED, OutboxStatus.ABANDONED)
                        .withKey("o-1")
                        .withCorrelationId("checkout-1")
                        .withCausationId("message-1")
                        .withTenantId("north ")
                        .withCreated(Instant.parse("2026-01-31T23:59:59Z"), null)
                        .withBeforeSequence(7L));
    }

    /** "a" and "a " are two keys: an operation on one must not change the other. */
    @Test
    void blanksArePartOfAKeyAndOfAnErrorAndOfNothingElse() {
        assertThat(of(Map.of(
                                "key", new String[] {"a "},
                                "error", new String[] {" refused"},
                                "type", new String[] {" Placed "},
                                "below", new String[] {" 7 "}))
                        .filter())
                .isEqualTo(OutboxFilter.all()
                        .withKey("a ")
                        .withError(" refused")
                        .withEventType("Placed")
                        .withBeforeSequence(7L));
    }

    @Test
    void wrongValuesAreRefusedWithoutRepeatingThem() {
        assertRefused("status", "<b>");
        assertRefused("from", "<b>");
        assertRefused("below", "<b>");
        assertRefused("error", "<b>" + "x".repeat(500));
    }

    /** A database would refuse them, which would look like its failure. */
    @Test
    void valuesThatNoDatabaseHasAreRefused() {
        assertRefused("key", "<b>\0");
        assertRefused("error", "\0<b>");
        assertRefused("from", "+1000000000-12-31T23:59:59Z");
        assertRefused("before", "-1000000000-01-01T00:00:00Z");
    }

    private static void assertRefused(String name, String value) {
        assertThatThrownBy(() -> of(Map.of(name, new String[] {value})).filter())
                .isInstanceOf(RequestRefusedException.class)
                .message()
                .matches("(created)?(?i)" + name + " .*")
                .doesNotContain("<b>");
    }

    private static RequestQuery of(Map<String, String[]> parameters) {
        return new RequestQuery(parameters);
    }
}
