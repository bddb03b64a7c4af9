package dev.cdioutbox.internal.store.claim;

/** Reports that a claim has reserved partitions and then could not read their queues, for example because of a damaged row. */
public final class BatchReadException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Long lastPartition;

    BatchReadException(Long lastPartition, Throwable cause) {
        super(cause);
        this.lastPartition = lastPartition;
    }

    /** The last partition of the claim, after which the next one begins; null if it had none. */
    public Long lastPartition() {
        return lastPartition;
    }
}
