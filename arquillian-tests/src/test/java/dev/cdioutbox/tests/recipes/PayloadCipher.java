package dev.cdioutbox.tests.recipes;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** AES-GCM. The payload begins with a byte, the id of the key, and the initialization vector. */
public class PayloadCipher {
    private static final int HEADER_BYTES = 1 + 12;
    private static final int TAG_BITS = 128;

    private final SecureRandom random = new SecureRandom();
    private final Map<Byte, SecretKey> keys;
    private final byte current;

    /** @param current the id of the key that encrypts; the others only decrypt */
    public PayloadCipher(Map<Byte, SecretKey> keys, byte current) {
        this.keys = Map.copyOf(keys);
        this.current = current;
    }

    public byte[] encrypt(byte[] plain) throws GeneralSecurityException {
        byte[] header = new byte[HEADER_BYTES];
        random.nextBytes(header);
        header[0] = current;
        byte[] encrypted = cipher(Cipher.ENCRYPT_MODE, header).doFinal(plain);
        return ByteBuffer.allocate(header.length + encrypted.length)
                .put(header)
                .put(encrypted)
                .array();
    }

    public byte[] decrypt(byte[] payload) throws GeneralSecurityException {
        return cipher(Cipher.DECRYPT_MODE, payload).doFinal(payload, HEADER_BYTES, payload.length - HEADER_BYTES);
    }

    private Cipher cipher(int mode, byte[] header) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, keys.get(header[0]), new GCMParameterSpec(TAG_BITS, header, 1, HEADER_BYTES - 1));
        return cipher;
    }
}
