package dev.cdioutbox.internal.dispatch.delivery;

/** Reports that something after a claim has failed, most likely its batch, or that the worker must not send. */
public final class DeliveryException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String refusal;
    private final Long firstPartition;

    private DeliveryException(String refusal, Long firstPartition, Throwable cause) {
        super(cause);
        this.refusal = refusal;
        this.firstPartition = firstPartition;
    }

    /** Nothing was sent, since the probe has failed. */
    public static DeliveryException ofProbe(Throwable cause) {
        return new DeliveryException(null, null, cause);
    }

    /** @param refusal the reason why exactly-once is not possible */
    public static DeliveryException refused(String refusal, Throwable cause) {
        return new DeliveryException(refusal, null, cause);
    }

    /** @param firstPartition with which the claim's batch began; null if the claim has no partition */
    public static DeliveryException ofClaim(Throwable cause, Long firstPartition) {
        return new DeliveryException(null, firstPartition, cause);
    }

    /** The reason why exactly-once is not possible, or null. */
    public String refusal() {
        return refusal;
    }

    /** The partition with which the claim's batch began; null if there was none. */
    public Long firstPartition() {
        return firstPartition;
    }
}
