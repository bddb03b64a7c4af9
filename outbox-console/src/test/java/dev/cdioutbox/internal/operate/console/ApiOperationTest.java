package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.Map;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that a request selects exactly the intended operation and messages. */
class ApiOperationTest {

    @Test
    void parametersMakeAFilter() {
        assertThat(asked(Map.of(
                                "status", new String[] {"FAILED", "ABANDONED"},
                                "key", new String[] {"o-1"},
                                "aggregate", new String[] {"line-1 "},
                                "correlation", new String[] {"checkout-1"},
                                "causation", new String[] {"message-1"},
                                "tenant", new String[] {"north "},
                                "from", new String[] {"2026-01-31T23:59:59Z"}))
                        .filter())
                .isEqualTo(OutboxFilter.all()
                        .withStatus(OutboxStatus.FAILED, OutboxStatus.ABANDONED)
                        .withKey("o-1")
                        .withAggregateId("line-1 ")
                        .withCorrelationId("checkout-1")
                        .withCausationId("message-1")
                        .withTenantId("north ")
                        .withCreated(Instant.parse("2026-01-31T23:59:59Z"), null));
    }

    @Test
    void parametersMakeARange() {
        assertThat(request("POST", "changes/retry", Map.of("after", new String[] {"3"}, "below", new String[] {"7"}))
                        .range(50))
                .isEqualTo(OutboxPageRequest.of(50).withAfter(3L).withBefore(7L));
        assertThat(asked(Map.of("limit", new String[] {"1000"})).range(50)).isEqualTo(OutboxPageRequest.of(1000));
    }

    /** "a" and "a " are two keys: an operation on one must not change the other. */
    @Test
    void blanksArePartOfAKeyAndOfAnErrorAndOfNothingElse() {
        assertThat(asked(Map.of(
                                "key", new String[] {"a "},
                                "error", new String[] {" refused"},
                                "type", new String[] {" Placed "}))
                        .filter())
                .isEqualTo(
                        OutboxFilter.all().withKey("a ").withError(" refused").withEventType("Placed"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "status | <b>",
                "from   | <b>",
                "below  | <b>",
                "limit  | 1001",
                "limit  | 0",
                // Such as that of a script whose variable is not set: it would select all messages.
                "type   | ' '",
                "key    | ''",
                "status | ''",
                "nonsense | <b>",
                // A database would refuse them, which would look like its failure.
                "key    | '<b>\0'",
                "error  | '\0<b>'",
                "from   | +1000000000-12-31T23:59:59Z",
                "before | -1000000000-01-01T00:00:00Z"
            })
    void wrongParametersAreRefusedWithoutRepeatingThem(String name, String value) {
        assertThatThrownBy(() -> asked(Map.of(name, new String[] {value})).filter())
                .isInstanceOf(RequestRefusedException.class)
                .message()
                .containsIgnoringCase(name.equals("nonsense") ? "It has: aggregate, before, below," : name)
                .doesNotContain("<b>");
    }

    @Test
    void valueThatIsTooLongOrGivenTwiceOrMissingIsRefused() {
        assertRefused("messages", Map.of("error", new String[] {"x".repeat(501)}), 400);
        assertRefused("messages", Map.of("key", new String[] {"a", "b"}), 400);
        assertThatThrownBy(() -> request("POST", "changes/retry", Map.of())).hasMessage("below is missing.");
    }

    @Test
    void variablesOfThePathAreParameters() {
        ApiRequest one = request("POST", "messages/a b/replay-as-new", Map.of());

        assertThat(one.get(Parameter.ID)).isEqualTo("a b");
        assertThat(one.get(Parameter.ACTION)).isEqualTo(MessageOperation.REPLAY_AS_NEW);
        assertRefused("messages/1", Map.of("id", new String[] {"2"}), 400);
        assertRefused("changes/drop", Map.of(), 400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nothing", "messages/", "messages/1/retry/2", "state/", "xstate"})
    void otherPathsAreNotFound(String path) {
        assertRefused(path, Map.of(), 404);
    }

    @Test
    void whatChangesIsNotRead() {
        assertRefused("pause", Map.of("destination", new String[] {"default"}), 405);
    }

    private static void assertRefused(String path, Map<String, String[]> given, int status) {
        assertThatThrownBy(() -> request("GET", path, given))
                .isInstanceOfSatisfying(RequestRefusedException.class, refusal -> assertThat(refusal.status())
                        .isEqualTo(status));
    }

    private static ApiRequest asked(Map<String, String[]> given) {
        return request("GET", "messages", given);
    }

    static ApiRequest request(String method, String path, Map<String, String[]> given) {
        return ApiOperation.find(method, path).request("operator", Role.OPERATOR, path, given);
    }
}
