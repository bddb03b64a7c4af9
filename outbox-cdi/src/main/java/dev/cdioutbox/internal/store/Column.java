package dev.cdioutbox.internal.store;

/** What fits into a column: nothing that was done fails because a name or an error is long. */
final class Column {
    static final int WHO = 255;

    private Column() {}

    /** Cut between code points, so that no half of a surrogate pair reaches the database. */
    static String fitting(String text, int length) {
        if (text == null || text.length() <= length) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length);
    }
}
