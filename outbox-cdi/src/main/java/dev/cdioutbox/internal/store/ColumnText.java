package dev.cdioutbox.internal.store;

/** Shortens and cleans texts for columns, so that no write fails because of a long or unprintable name or error. */
public final class ColumnText {
    public static final int USER_LENGTH = 255;

    private ColumnText() {}

    /** Cuts between code points: some databases refuse half a surrogate pair. */
    public static String truncated(String text, int length) {
        if (text == null || text.length() <= length) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length);
    }

    /**
     * Replaces control characters: PostgreSQL refuses the character 0, and the settlement with such an error text would
     * fail each time.
     *
     * @param text may be null
     */
    public static String printable(String text) {
        // A surrogate counts here only without its other half: a pair is one code point.
        return text == null ? null : text.replaceAll("\\p{Cc}", " ").replaceAll("\\p{Cs}", "?");
    }
}
