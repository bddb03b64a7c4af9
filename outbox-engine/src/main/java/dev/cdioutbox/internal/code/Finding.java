package dev.cdioutbox.internal.code;

import dev.cdioutbox.operate.OutboxFinding;

/** What a check has found, for the log as for the doctor. Public, as JSON-B needs it for the console. */
public record Finding(String code, String text) implements OutboxFinding {

    /** The finding of a line that begins with a code, such as the reason of a failure; for a line without one, another. */
    public static Finding of(String line, Finding other) {
        int end = line.indexOf(": ");
        return line.startsWith("OBX-") && end > 0
                ? new Finding(line.substring(0, end), line.substring(end + 2))
                : other;
    }

    /** The log line. */
    @Override
    public String toString() {
        return code + ": " + text;
    }
}
