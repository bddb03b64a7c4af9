package dev.cdioutbox.internal.store.sql;

import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Statements with a list of sequences, whose length is padded. */
public final class SequenceInList {
    private SequenceInList() {}

    /**
     * The number of parameters for a count: rounded up to a power of two, so that the database prepares few different
     * statements. At most 1000 for counts up to 1000, since some databases refuse more.
     */
    public static int paddedCount(int count) {
        int paddedCount = count <= 1 ? 1 : Integer.highestOneBit(count - 1) << 1;
        return count <= 1000 ? Math.min(paddedCount, 1000) : paddedCount;
    }

    /** This number of question marks. */
    public static String placeholders(int parameters) {
        return IntStream.range(0, parameters).mapToObj(i -> "?").collect(Collectors.joining(", "));
    }
}
