package dev.cdioutbox.internal.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** UUIDs of version 7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, then random bits. Thread-safe. */
public final class UuidV7 {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Pattern VERSION_7 =
            Pattern.compile("(\\p{XDigit}{8})-(\\p{XDigit}{4})-7\\p{XDigit}{3}-[89abAB]\\p{XDigit}{3}-\\p{XDigit}{12}");

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

    /**
     * The id of a received message for its handler: the same for each copy. If the received id is a UUID of version 7, the new one
     * has its time, so that the index of the ids grows at its end. Otherwise it is a UUID of version 8, which needs no time.
     *
     * @param application which may share the tables with others
     * @param id any text
     */
    public static UUID received(String application, String handler, String id) {
        ByteBuffer hash = ByteBuffer.wrap(sha256(String.join("\0", application, handler, id)));
        long first = hash.getLong();
        Matcher timed = VERSION_7.matcher(id);
        long high = timed.matches()
                ? Long.parseLong(timed.group(1) + timed.group(2), 16) << 16 | 0x7000L | (first & 0x0FFFL)
                : first & ~0xF000L | 0x8000L;
        return new UUID(high, 0x8000_0000_0000_0000L | (hash.getLong() >>> 2));
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
