package dev.cdioutbox.internal.dispatch.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailedMessagesTest {
    @ParameterizedTest
    @CsvSource({
        // The blames of messages 0, 1 and so on; how the sends end, and which failure decides; at fault, unclear
        "MESSAGE, MESSAGES_FAILED, 0, 0,",
        "UNKNOWN, MESSAGES_FAILED, 0, , 0",
        "MESSAGE UNKNOWN UNKNOWN, MESSAGES_FAILED, 1, 0, 1 2",
        "UNKNOWN MESSAGE DESTINATION, FAILED, 2, 1,",
        "UNKNOWN MESSAGE DESTINATION_FULL, TOO_MANY, 2, 1,",
    })
    void destinationDecidesBeforeMessages(String blames, End end, int decisive, String atFault, String unclear) {
        String[] all = blames.split(" ");
        List<Failure> failures = IntStream.range(0, all.length)
                .mapToObj(i ->
                        new Failure(TestMessages.stored(i, "key-" + i, 0), FakeBroker.failure(Blame.valueOf(all[i]))))
                .toList();

        FailedMessages failed = FailedMessages.of(failures);

        assertThat(failed.end()).isEqualTo(end);
        assertThat(failed.cause()).isSameAs(failures.get(decisive).cause());
        assertThat(names(failed.atFault())).isEqualTo(atFault);
        assertThat(names(failed.unclear())).isEqualTo(unclear);
    }

    private static String names(List<Failure> failures) {
        return failures.isEmpty()
                ? null
                : failures.stream()
                        .map(each -> String.valueOf(each.message().sequence()))
                        .collect(Collectors.joining(" "));
    }
}
