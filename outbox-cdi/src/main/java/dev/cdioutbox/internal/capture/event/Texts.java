package dev.cdioutbox.internal.capture.event;

import java.nio.charset.StandardCharsets;

/** Which texts reach a database and a consumer as they are. */
public final class Texts {
    private Texts() {}

    /** What is wrong with a text, as the end of a sentence about it; or null. */
    public static String problem(String text) {
        if (text.indexOf('\0') >= 0) {
            return "contains the character U+0000, which databases cannot keep";
        }
        // Half a surrogate pair would arrive as a question mark.
        return StandardCharsets.UTF_8.newEncoder().canEncode(text)
                ? null
                : "contains half a surrogate pair, which is no character";
    }
}
