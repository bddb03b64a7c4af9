package dev.cdioutbox.internal.store.dialect;

/**
 * A database that treats an empty text as null, or ignores trailing blanks. The outbox stores such texts with a
 * trailing control character, and also texts that end with that character.
 */
public abstract class GuardedTextDialect extends UtcTextDialect {
    private static final String GUARD = "\u001F";

    GuardedTextDialect(String folder, String... products) {
        super(folder, products);
    }

    @Override
    public final String encodeText(String text) {
        boolean guarded = text != null && (text.isEmpty() || text.endsWith(" ") || text.endsWith(GUARD));
        return guarded ? text + GUARD : text;
    }

    @Override
    public final String decodeText(String text) {
        return text != null && text.endsWith(GUARD) ? text.substring(0, text.length() - 1) : text;
    }
}
