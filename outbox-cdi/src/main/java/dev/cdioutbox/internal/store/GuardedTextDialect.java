package dev.cdioutbox.internal.store;

/**
 * A database that takes an empty text for none, or texts that differ in the blanks at their ends for one. A character that
 * no one writes stands behind such texts, and behind those that end with it.
 */
abstract class GuardedTextDialect extends UtcTextDialect {
    private static final String GUARD = "\u001F";

    GuardedTextDialect(String folder, String... products) {
        super(folder, products);
    }

    @Override
    final String encodeText(String text) {
        boolean guarded = text != null && (text.isEmpty() || text.endsWith(" ") || text.endsWith(GUARD));
        return guarded ? text + GUARD : text;
    }

    @Override
    final String decodeText(String text) {
        return text != null && text.endsWith(GUARD) ? text.substring(0, text.length() - 1) : text;
    }

    @Override
    final boolean locksOnlyReturnedRows() {
        return false;
    }
}
