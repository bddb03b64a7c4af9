package dev.cdioutbox.jms.internal.send;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

/**
 * A property with copies of those text properties that a broker may damage, in form encoding. ActiveMQ's client (6.3.1)
 * writes properties in modified UTF-8 and reads them as UTF-8: each character beyond the basic plane becomes U+FFFD
 * twice, so that two keys, tenants or ids become one.
 */
public final class EncodedProperties {
    /** The name of the property. */
    public static final String NAME = "encodedProperties";

    private static final char DAMAGED = '\ufffd';

    private EncodedProperties() {}

    /** The copies of the texts that need one; null if none does. */
    static String of(Map<String, String> properties) {
        String encoded = properties.entrySet().stream()
                .filter(property -> needsCopy(property.getValue()))
                .map(property -> encode(property.getKey()) + "=" + encode(property.getValue()))
                .collect(Collectors.joining("&"));
        return encoded.isEmpty() ? null : encoded;
    }

    /** Also where the text itself has the character that stands for a damaged one. A loop: each message is asked. */
    private static boolean needsCopy(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i)) || text.charAt(i) == DAMAGED) {
                return true;
            }
        }
        return false;
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    /** The text of a property; null if there is none, or if it is damaged and the message has no copy. */
    public static String text(Message message, String name) throws JMSException {
        String text = message.getStringProperty(name);
        return isDamaged(text) ? decode(message.getStringProperty(NAME)).get(name) : text;
    }

    /** Replaces damaged texts by their copies, and removes the property with the copies. */
    public static void restore(Map<String, String> properties) {
        Map<String, String> copies = decode(properties.remove(NAME));
        properties.replaceAll((name, text) -> isDamaged(text) ? copies.getOrDefault(name, text) : text);
    }

    private static boolean isDamaged(String text) {
        return text != null && text.indexOf(DAMAGED) >= 0;
    }

    /** Empty for a text that another sender has written in another form. */
    private static Map<String, String> decode(String encoded) {
        if (encoded == null) {
            return Map.of();
        }
        try {
            return Arrays.stream(encoded.split("&"))
                    .map(copy -> copy.split("=", 2))
                    .filter(copy -> copy.length == 2)
                    .collect(Collectors.toMap(
                            copy -> URLDecoder.decode(copy[0], UTF_8),
                            copy -> URLDecoder.decode(copy[1], UTF_8),
                            (first, second) -> first));
        } catch (IllegalArgumentException e) {
            return Map.of();
        }
    }
}
