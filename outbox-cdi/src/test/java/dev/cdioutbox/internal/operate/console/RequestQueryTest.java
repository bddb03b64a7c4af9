package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
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
                                "from", new String[] {"2026-01-31T23:59:59Z"}))
                        .filter())
                .isEqualTo(OutboxFilter.all()
                        .withStatus(OutboxStatus.FAILED, OutboxStatus.ABANDONED)
                        .withKey("o-1")
                        .withCorrelationId("checkout-1")
                        .withCausationId("message-1")
                        .withTenantId("north ")
                        .withCreated(Instant.parse("2026-01-31T23:59:59Z"), null));
    }

    @Test
    void parametersMakeARange() {
        assertThat(of(Map.of("after", new String[] {"3"}, "below", new String[] {" 7 "}))
                        .range(50))
                .isEqualTo(OutboxPageRequest.of(50).withAfter(3L).withBefore(7L));
    }

    /** "a" and "a " are two keys: an operation on one must not change the other. */
    @Test
    void blanksArePartOfAKeyAndOfAnErrorAndOfNothingElse() {
        assertThat(of(Map.of(
                                "key", new String[] {"a "},
                                "error", new String[] {" refused"},
                                "type", new String[] {" Placed "}))
                        .filter())
                .isEqualTo(
                        OutboxFilter.all().withKey("a ").withError(" refused").withEventType("Placed"));
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
        RequestQuery query = of(Map.of(name, new String[] {value}));
        assertThatThrownBy(() -> List.of(query.filter(), query.range(1)))
                .isInstanceOf(RequestRefusedException.class)
                .message()
                .matches("(created)?(?i)" + name + " .*")
                .doesNotContain("<b>");
    }

    private static RequestQuery of(Map<String, String[]> parameters) {
        return new RequestQuery(parameters);
    }
}
