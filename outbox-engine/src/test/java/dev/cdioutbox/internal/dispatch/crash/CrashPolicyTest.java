package dev.cdioutbox.internal.dispatch.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

import dev.cdioutbox.internal.dispatch.crash.CrashPolicy.History;
import dev.cdioutbox.internal.dispatch.crash.CrashPolicy.Step;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards that a node at fault does not abandon one message after the other. */
class CrashPolicyTest {

    @ParameterizedTest
    @CsvSource({
        // crashing messages, crashed since the last delivery, the message that stops the destination; step, others are
        // sent
        "0, false, , SEND, true",
        "0, true, , SEND, true",
        "1, false, , ABANDON, true",
        "2, false, , ABANDON_FIRST, false",
        "1, true, , STOP, false",
        "2, true, , STOP, false",
        "0, true, 7, FAIL, false",
        "1, true, 7, FAIL, false",
    })
    void onlyOneMessageIsSkippedUntilTheDestinationDelivers(
            int crashing, boolean crashed, Long stoppedBy, Step step, boolean sendsOthers) {
        assertThat(CrashPolicy.of(crashing, new History(crashed, Optional.ofNullable(stoppedBy))))
                .isEqualTo(step);
        assertThat(step.sendsOthers()).isEqualTo(sendsOthers);
    }
}
