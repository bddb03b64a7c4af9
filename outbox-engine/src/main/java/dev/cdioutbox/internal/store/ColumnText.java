package dev.cdioutbox.internal.store;

/**
 * Makes a text of any origin fit a column: an error, a broker's id, the name of a user or host. It is written beside a change
 * of state, which must not fail because of a long or unprintable text.
 */
public enum ColumnText {
    /** For a database that stores each letter. */
    UNICODE,
    /** For a database with another encoding. Every encoding has these letters, and the database refuses some of the others. */
    ASCII;

    public static final int USER_LENGTH = 255;

    /**
     * Replaces control characters: PostgreSQL refuses the character 0, and the settlement with such an error text would
     * fail each time. Cuts between code points: some databases refuse half a surrogate pair.
     *
     * @param text may be null
     */
    public String of(String text, int length) {
        if (text == null) {
            return null;
        }
        // A surrogate counts here only without its other half: a pair is one code point.
        String printable = text.replaceAll("\\p{Cc}", " ").replaceAll("\\p{Cs}", "?");
        String stored = this == UNICODE ? printable : printable.replaceAll("\\P{ASCII}", "?");
        if (stored.length() <= length) {
            return stored;
        }
        return stored.substring(0, Character.isHighSurrogate(stored.charAt(length - 1)) ? length - 1 : length);
    }
}
