package dev.cdioutbox.internal.operate.console;

import java.time.Instant;

import dev.cdioutbox.internal.dispatch.listener.GuaranteeReport;

/**
 * A destination as the page shows it. A value that this node does not know is null. Public, as JSON-B needs it.
 *
 * @param jndi the JNDI name of its queue or topic
 * @param guarantee the guarantee that this node last reported; null if it has not delivered there since its start
 * @param proven false as long as exactly-once is not possible, so that nothing is sent; null if no guarantee is known
 * @param waiting pending and failed messages
 * @param more whether counting stopped, so that there may be more waiting messages
 * @param oldest since when the oldest of them could have been sent; null if none could
 */
public record DestinationView(
        String jndi, String guarantee, Boolean proven, Integer waiting, boolean more, Instant oldest) {

    /**
     * @param guarantee null if none was reported
     * @param counted the waiting messages that were counted; null if there are none
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
