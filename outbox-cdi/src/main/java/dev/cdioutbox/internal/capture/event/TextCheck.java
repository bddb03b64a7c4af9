package dev.cdioutbox.internal.capture.event;

import java.nio.charset.StandardCharsets;

/** Checks texts that must reach the database and the consumer unchanged. */
public final class TextCheck {
    private TextCheck() {}

    /** The problem of a text, as the predicate of a sentence; or null. */
    public static String problem(String text) {
        if (text.indexOf('\0') >= 0) {
            return "contains the character U+0000, which databases cannot keep";
        }
        // UTF-8 would encode half a surrogate pair as a question mark.
        return StandardCharsets.UTF_8.newEncoder().canEncode(text)
                ? null
                : "contains half a surrogate pair, which is no character";
    }
}
