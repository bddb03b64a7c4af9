package dev.cdioutbox.internal.dispatch.delivery;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/**
 * What the failed messages of a completed batch show. The failure that comes first in this table decides, because the others
 * may follow from it:
 *
 * <pre>
 * decisive           end               at fault          unclear
 * ----------------   ---------------   ---------------   -------
 * DESTINATION        FAILED            those of MESSAGE  none
 * DESTINATION_FULL   TOO_MANY          those of MESSAGE  none
 * UNKNOWN            MESSAGES_FAILED   those of MESSAGE  those of UNKNOWN
 * MESSAGE            MESSAGES_FAILED   all               none
 * </pre>
 *
 * @param cause the decisive failure
 * @param unclear these are at fault, too, if the destination answers a probe
 */
record FailedMessages(End end, PublishException cause, List<Failure> atFault, List<Failure> unclear) {
    private static final List<Blame> DECISIVE_FIRST =
            List.of(Blame.DESTINATION, Blame.DESTINATION_FULL, Blame.UNKNOWN, Blame.MESSAGE);

    /** @param failures one at least, in the order of the sends */
    static FailedMessages of(List<Failure> failures) {
        Map<Blame, List<Failure>> byBlame = failures.stream()
                .collect(Collectors.groupingBy(each -> each.cause().blame()));
        Blame decisive =
                DECISIVE_FIRST.stream().filter(byBlame::containsKey).findFirst().orElseThrow();
        return new FailedMessages(
                End.of(decisive, End.MESSAGES_FAILED),
                byBlame.get(decisive).get(0).cause(),
                byBlame.getOrDefault(Blame.MESSAGE, List.of()),
                decisive == Blame.UNKNOWN ? byBlame.get(decisive) : List.of());
    }
}
