package dev.cdioutbox.internal.store;

import java.util.UUID;

/**
 * Who owns a destination as a whole, and what it has settled. Each settlement and each take-over replaces the token.
 *
 * @param memory by which the transport's marker is found
 * @param number that of the last settled batch
 * @param owner new with each take-over
 */
public record FencingToken(String memory, long number, String owner) {
    /**
     * In place of the token of a destination whose row was deleted while messages waited: some of them may have been sent. No
     * transport has a marker of this memory, so nothing is sent until an operator decides.
     */
    public static final FencingToken UNKNOWN = new FencingToken("unknown", 0, "unknown");

    private static final int RADIX = 36;
    private static final String SEPARATOR = ":";
    private static final int PARTS = 3;

    /** With a new memory, which no transport has a marker of. */
    public static FencingToken first() {
        return new FencingToken(UUID.randomUUID().toString(), 0, "");
    }

    /**
     * @param text null if there is no token
     * @throws IllegalArgumentException if the text is not that of a token
     */
    public static FencingToken parse(String text) {
        if (text == null) {
            return null;
        }
        // Also an empty owner.
        String[] parts = text.split(SEPARATOR, -1);
        if (parts.length != PARTS) {
            throw new IllegalArgumentException("%s parts instead of %s".formatted(parts.length, PARTS));
        }
        return new FencingToken(parts[0], Long.parseLong(parts[1], RADIX), parts[2]);
    }

    /** Of 64 characters at most. */
    public String text() {
        return String.join(SEPARATOR, memory, Long.toString(number, RADIX), owner);
    }

    /** After the settlement of the next batch. */
    public FencingToken next() {
        return new FencingToken(memory, number + 1, owner);
    }

    /** After a take-over. */
    public FencingToken takenOver() {
        UUID random = UUID.randomUUID();
        return new FencingToken(memory, number, Long.toString(random.getMostSignificantBits() >>> 1, RADIX));
    }
}
