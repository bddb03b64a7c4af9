package dev.cdioutbox.internal.store;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Hashes of texts. Unlike {@code UUID.nameUUIDFromBytes}, which needs MD5, they exist on a JVM in FIPS mode too. */
public final class Sha256 {
    private Sha256() {}

    /** @return 32 bytes */
    public static byte[] of(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each JVM has SHA-256", e);
        }
    }
}
