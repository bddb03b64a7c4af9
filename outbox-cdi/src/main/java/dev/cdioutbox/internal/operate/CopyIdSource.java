package dev.cdioutbox.internal.operate;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

import dev.cdioutbox.internal.capture.message.UuidV7;

/**
 * Creates ids for copies of messages. In a named operation, an id derives from the operation's name and the original's
 * id. If a client repeats a batch after a lost answer, the copies get the same ids, and the table refuses them.
 */
interface CopyIdSource {

    UUID of(UUID original);

    /** @param operation the operation's name, or null */
    static CopyIdSource forBatch(String operation) {
        return operation == null
                ? original -> UuidV7.next(System.currentTimeMillis())
                : original -> id(operation, original);
    }

    /** A UUID of version 7 too, with the time at the start of the name. */
    private static UUID id(String operation, UUID original) {
        ByteBuffer hash = ByteBuffer.wrap(sha256(operation + " " + original));
        long time = Long.parseUnsignedLong(operation.substring(0, 12), 16);
        return UuidV7.of(time, hash.getLong(), hash.getLong());
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
