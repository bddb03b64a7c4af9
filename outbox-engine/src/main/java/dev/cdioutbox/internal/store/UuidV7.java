package dev.cdioutbox.internal.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.UUID;

/** UUIDs of version 7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, then random bits. Thread-safe. */
public final class UuidV7 {
    private static final SecureRandom RANDOM = new SecureRandom();

    private UuidV7() {}

    public static UUID next(long epochMillis) {
        return of(epochMillis, RANDOM.nextLong(), RANDOM.nextLong());
    }

    /**
     * The id of an event's message for a destination. Called again with the same destination, it returns the event's id, so
     * that the id for a second destination can be computed from the one for the first. A backfill recognizes by it what a
     * destination has already.
     *
     * @param id of the event, or of its message for this destination
     */
    public static UUID within(UUID id, String destination) {
        long mask = ByteBuffer.wrap(sha256(destination)).getLong() >>> 2;
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() ^ mask);
    }

    /** Builds a UUID of a time, the low 12 of highBits and the high 62 of lowBits. */
    public static UUID of(long epochMillis, long highBits, long lowBits) {
        return new UUID((epochMillis << 16) | 0x7000L | (highBits & 0x0FFFL), 0x8000_0000_0000_0000L | (lowBits >>> 2));
    }

    /** Unlike {@code UUID.nameUUIDFromBytes}, which needs MD5, it exists on a JVM in FIPS mode too. */
    public static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JVM has SHA-256", e);
        }
    }
}
