package dev.cdioutbox.internal.code;

import java.util.HexFormat;
import java.util.regex.Pattern;

/** Keeps foreign values from forging a line of the log. */
public final class OneLine {
    /** Characters that some viewer of logs takes as the end of a line, or that steer a terminal. */
    private static final Pattern BREAKING = Pattern.compile("[\\p{Cntrl}\\x80-\\x9f\\u2028\\u2029]");

    private OneLine() {}

    /** The text with an escape, such as that of Java for a line feed, in place of each of these characters. */
    public static String of(String text) {
        return BREAKING.matcher(text)
                .replaceAll(found ->
                        "\\\\u" + HexFormat.of().toHexDigits(found.group().charAt(0)));
    }
}
