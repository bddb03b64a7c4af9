package dev.cdioutbox.kafka.connect;

import java.util.HashMap;
import java.util.Map;

/** Reads the column {@code headers}: one JSON object of texts, as the outbox writes it. Connect's API reads no JSON. */
final class StoredHeaders {
    /** The mark of a message for an external destination, among its headers. */
    static final String EXTERNAL = "outbox.external";

    private static final int HEX_DIGITS = 4;

    private final String json;
    private int at;

    private StoredHeaders(String json) {
        this.json = json;
    }

    /** @param json null for none */
    static Map<String, String> parse(String json) {
        Map<String, String> headers = new HashMap<>();
        if (json != null) {
            StoredHeaders reader = new StoredHeaders(json);
            for (String name = reader.next(); name != null; name = reader.next()) {
                headers.put(name, reader.next());
            }
        }
        return headers;
    }

    /** The next text in quotes; null at the end. */
    private String next() {
        int quote = json.indexOf('"', at);
        if (quote < 0) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        for (at = quote + 1; json.charAt(at) != '"'; at++) {
            text.append(json.charAt(at) == '\\' ? escaped() : json.charAt(at));
        }
        at++;
        return text.toString();
    }

    private char escaped() {
        char letter = json.charAt(++at);
        return switch (letter) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                at += HEX_DIGITS;
                yield (char) Integer.parseInt(json.substring(at - HEX_DIGITS + 1, at + 1), 16);
            }
            default -> letter;
        };
    }
}
