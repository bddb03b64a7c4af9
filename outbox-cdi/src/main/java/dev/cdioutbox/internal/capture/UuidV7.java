package dev.cdioutbox.internal.capture;

import java.security.SecureRandom;
import java.util.UUID;

/** UUIDs of version 7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, then random bits. Thread-safe. */
public final class UuidV7 {
    private static final SecureRandom RANDOM = new SecureRandom();

    private UuidV7() {}

    public static UUID next(long epochMillis) {
        long random = RANDOM.nextLong();
        long high = (epochMillis << 16) | 0x7000L | (random & 0x0FFFL);
        long low = 0x8000_0000_0000_0000L | (RANDOM.nextLong() >>> 2);
        return new UUID(high, low);
    }
}
