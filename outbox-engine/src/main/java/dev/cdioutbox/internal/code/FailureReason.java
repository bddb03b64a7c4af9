package dev.cdioutbox.internal.code;

/** Tells in one line why something has failed. */
public final class FailureReason {

    private FailureReason() {}

    /** A failure in one line: the outbox's own message among the causes, if there is one, and the innermost cause. */
    public static String of(Throwable failure) {
        String known = null;
        Throwable root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            known = known == null ? known(root) : known;
            root = root.getCause();
        }
        String text = root.getMessage() == null ? root.getClass().getName() : root.getMessage();
        return inOneLine(known == null ? text : known.contains(text) ? known : known + ": " + text);
    }

    /**
     * Leaves out PostgreSQL's detail line, which may have the values of a row, including the payload. Prints a method
     * as {@code id()}: the JDK's IllegalAccessException has {@code id[Ljava.lang.Object;@1b6e1eff/invokeSpecial}.
     */
    private static String inOneLine(String text) {
        return text.replaceFirst("(?s)\\n\\s*Detail: .*", "")
                .replaceAll("\\[Ljava\\.lang\\.Object;@\\p{XDigit}+(/\\w+)?", "()")
                .strip()
                .replaceAll("\\s+", " ")
                .replaceAll("\\.$", "");
    }

    private static String known(Throwable link) {
        String message = link.getMessage();
        return message != null && message.startsWith("OBX-") ? message : null;
    }
}
