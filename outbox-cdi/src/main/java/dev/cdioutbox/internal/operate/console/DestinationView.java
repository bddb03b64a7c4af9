package dev.cdioutbox.internal.operate.console;

import java.time.Instant;

import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;

/**
 * A destination for the page. A value that this node does not know is null. Public, as JSON-B needs it.
 *
 * @param jndi the JNDI name of the queue or topic
 * @param guarantee the last guarantee that this node reported; null if it has not delivered there since its start
 * @param proven false while the node sends nothing because exactly-once is not possible; null without a report
 * @param waiting pending and failed messages
 * @param more whether counting stopped at the limit, so that there may be more waiting messages
 * @param oldest the time since which the oldest of them has been due; null if none is due
 */
public record DestinationView(
        String jndi, String guarantee, Boolean proven, Integer waiting, boolean more, Instant oldest) {

    /**
     * @param guarantee null without a report
     * @param counted the number of counted messages; null if the count has no entry for this destination
     * @param isCapped whether counting stopped before all messages of all destinations were counted
     */
    static DestinationView of(
            String jndi, GuaranteeReport guarantee, Integer counted, boolean isCapped, Instant oldest) {
        // A capped count may have left this destination out: zero would be a guess.
        Integer nothing = isCapped ? null : (Integer) 0;
        return new DestinationView(
                jndi,
                guarantee == null ? null : guarantee.delivery().toString(),
                guarantee == null ? null : (Boolean) (guarantee.refusal() == null),
                counted == null ? nothing : counted,
                isCapped,
                oldest);
    }
}
