package dev.cdioutbox.internal.capture.event;

/** A text that reaches the database and the consumer unchanged. */
public final class StorableText {
    private StorableText() {}

    /** Why a text is none, as the predicate of a sentence; null if it is one. */
    public static String problem(String text) {
        if (text.indexOf('\0') >= 0) {
            return "contains the character U+0000, which databases cannot keep";
        }
        return hasHalfSurrogatePair(text) ? "contains half a surrogate pair, which is no character" : null;
    }

    /**
     * UTF-8 would encode half a pair as a question mark. A loop, since {@code CharsetEncoder.canEncode} took a fifth of
     * the JVM's time of a business transaction with ten events of 1 KiB.
     */
    private static boolean hasHalfSurrogatePair(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isSupplementaryCodePoint(text.codePointAt(i))) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }
}
