package dev.cdioutbox.tests.recipes;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.spi.OutboxSerializer;

@ApplicationScoped
public class EncryptingSerializer implements OutboxSerializer {
    private final Jsonb json = JsonbBuilder.create();

    @Inject
    PayloadCipher cipher;

    @Override
    public String contentType(Object event) {
        return "application/octet-stream";
    }

    @Override
    public OutboxPayload serialize(Object event) throws GeneralSecurityException {
        return OutboxPayload.binary(cipher.encrypt(json.toJson(event).getBytes(UTF_8)));
    }
}
