package dev.cdioutbox.internal.store;

/** What fits into a column: nothing that was done fails because a name or an error is long. */
final class ColumnText {
    static final int USER_LENGTH = 255;

    private ColumnText() {}

    /** Cut between code points, so that no half of a surrogate pair reaches the database. */
    static String truncated(String text, int length) {
        if (text == null || text.length() <= length) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length);
    }

    /**
     * As every database takes it, whatever a broker or a driver says: PostgreSQL refuses a character 0, and a message with such an
     * error would be charged in vain each time.
     *
     * @param text may be null
     */
    static String printable(String text) {
        if (text == null) {
            return null;
        }
        StringBuilder clean = new StringBuilder();
        text.codePoints().map(ColumnText::printable).forEach(clean::appendCodePoint);
        return clean.toString();
    }

    private static int printable(int character) {
        if (Character.isISOControl(character)) {
            return ' ';
        }
        return character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE ? '?' : character;
    }
}
