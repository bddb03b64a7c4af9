package dev.cdioutbox.internal.dispatch.delivery;

/** Reports that a batch was rolled back, or that the worker must not send. */
public final class DeliveryException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String refusal;
    private final Integer firstPartition;

    private DeliveryException(String refusal, Integer firstPartition, Throwable cause) {
        super(cause);
        this.refusal = refusal;
        this.firstPartition = firstPartition;
    }

    /** Nothing was sent, since the probe has failed. */
    static DeliveryException ofProbe(Throwable cause) {
        return new DeliveryException(null, null, cause);
    }

    /** @param refusal the reason why exactly-once is not possible */
    public static DeliveryException refused(String refusal, Throwable cause) {
        return new DeliveryException(refusal, null, cause);
    }

    /** @param firstPartition the partition of the first message of the batch */
    public static DeliveryException ofBatch(Throwable cause, int firstPartition) {
        return new DeliveryException(null, firstPartition, cause);
    }

    /** The reason why exactly-once is not possible, or null. */
    public String refusal() {
        return refusal;
    }

    /** The partition of the first message of the batch; null if there was no batch. */
    public Integer firstPartition() {
        return firstPartition;
    }
}
