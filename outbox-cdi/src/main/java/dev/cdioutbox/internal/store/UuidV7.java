package dev.cdioutbox.internal.store;

import java.security.SecureRandom;
import java.util.UUID;

/** UUIDs of version 7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, then random bits. Thread-safe. */
public final class UuidV7 {
    private static final SecureRandom RANDOM = new SecureRandom();

    private UuidV7() {}

    public static UUID next(long epochMillis) {
        return of(epochMillis, RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Builds a UUID of a time, the low 12 of highBits and the high 62 of lowBits. */
    public static UUID of(long epochMillis, long highBits, long lowBits) {
        return new UUID((epochMillis << 16) | 0x7000L | (highBits & 0x0FFFL), 0x8000_0000_0000_0000L | (lowBits >>> 2));
    }
}
