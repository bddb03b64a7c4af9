package dev.cdioutbox.internal.store;

/** Where a batch ends. */
public record ClaimLimits(int partitions, int messages, long bytes) {
    /** So that no statement has more parameters; the read of a partition has three. */
    ClaimLimits within(int parameters) {
        return new ClaimLimits(Math.min(partitions, parameters / 3), Math.min(messages, parameters), bytes);
    }
}
