package dev.cdioutbox.jms.internal.send;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;

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

    /** The text of a property; null if there is none, if it is no text, or if it is damaged and the message has no copy. */
    public static String text(Message message, String name) throws JMSException {
        String text = textOrNull(message, name);
        return isDamaged(text) ? decode(textOrNull(message, NAME)).get(name) : text;
    }

    /** All properties that are text, or a number or truth value, by name. Damaged texts are replaced by their copies. */
    public static Map<String, String> texts(Message message) throws JMSException {
        Map<String, String> texts = new TreeMap<>();
        for (Enumeration<?> names = message.getPropertyNames(); names.hasMoreElements(); ) {
            String name = (String) names.nextElement();
            String text = textOrNull(message, name);
            if (text != null) {
                texts.put(name, text);
            }
        }
        Map<String, String> copies = decode(texts.remove(NAME));
        texts.replaceAll((name, text) -> isDamaged(text) ? copies.getOrDefault(name, text) : text);
        return texts;
    }

    /** Null for the bytes or the list of another sender, which must not keep its message from being read. */
    private static String textOrNull(Message message, String name) throws JMSException {
        try {
            return message.getStringProperty(name);
        } catch (MessageFormatException e) {
            return null;
        }
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
