package dev.cdioutbox.internal.config;

import java.util.Collection;
import java.util.Comparator;

/** Suggests a known name for a misspelt one. */
public final class Spelling {
    private Spelling() {}

    /**
     * A question to append to a message: {@code " (did you mean 'x'?)"}; empty if no name is near.
     *
     * @param known the names that exist
     */
    public static String suggestion(String misspelt, Collection<String> known) {
        int limit = Math.max(1, misspelt.length() / 4);
        return known.stream()
                .filter(name -> distance(misspelt, name) <= limit)
                .min(Comparator.<String>comparingInt(name -> distance(misspelt, name))
                        .thenComparing(Comparator.naturalOrder()))
                .map(name -> " (did you mean '" + name + "'?)")
                .orElse("");
    }

    /** The Levenshtein distance, ignoring case. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                boolean same = Character.toLowerCase(one.charAt(i - 1)) == Character.toLowerCase(other.charAt(j - 1));
                int substituted = diagonal + (same ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
