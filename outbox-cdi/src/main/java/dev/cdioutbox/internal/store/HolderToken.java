package dev.cdioutbox.internal.store;

import java.util.UUID;

/**
 * Who holds a destination as a whole, and what it has settled. Each settlement and each take-over replaces the token.
 *
 * @param memory by which the transport's marker is found
 * @param number that of the last settled batch
 * @param holder new with each take-over
 */
public record HolderToken(String memory, long number, String holder) {
    /**
     * In place of the token of a destination whose row was deleted while messages waited: some of them may have been sent. No
     * transport has a marker of this memory, so nothing is sent until an operator decides.
     */
    public static final HolderToken UNKNOWN = new HolderToken("unknown", 0, "unknown");

    private static final int RADIX = 36;
    private static final String SEPARATOR = ":";

    /** With a new memory, which no transport has a marker of. */
    public static HolderToken first() {
        return new HolderToken(UUID.randomUUID().toString(), 0, "");
    }

    /** @param text null if there is no token */
    public static HolderToken parse(String text) {
        if (text == null) {
            return null;
        }
        String[] parts = text.split(SEPARATOR);
        return new HolderToken(parts[0], Long.parseLong(parts[1], RADIX), parts[2]);
    }

    /** Of 64 characters at most. */
    public String text() {
        return String.join(SEPARATOR, memory, Long.toString(number, RADIX), holder);
    }

    /** After the settlement of the next batch. */
    public HolderToken next() {
        return new HolderToken(memory, number + 1, holder);
    }

    /** After a take-over. */
    public HolderToken heldAnew() {
        UUID random = UUID.randomUUID();
        return new HolderToken(memory, number, Long.toString(random.getMostSignificantBits() >>> 1, RADIX));
    }
}
