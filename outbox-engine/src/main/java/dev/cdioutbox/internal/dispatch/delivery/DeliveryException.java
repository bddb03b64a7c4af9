package dev.cdioutbox.internal.dispatch.delivery;

/** Reports that something after a claim has failed, most likely its batch, or that the worker must not send. */
public final class DeliveryException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String refusal;
    private final Long after;

    private DeliveryException(String refusal, Long after, Throwable cause) {
        super(cause);
        this.refusal = refusal;
        this.after = after;
    }

    /** Nothing was sent, since the probe has failed. */
    public static DeliveryException ofProbe(Throwable cause) {
        return new DeliveryException(null, null, cause);
    }

    /** @param refusal the reason why exactly-once is not possible */
    public static DeliveryException refused(String refusal, Throwable cause) {
        return new DeliveryException(refusal, null, cause);
    }

    /** @param after the partition after which the next cycle begins; null to begin where this one did */
    public static DeliveryException ofClaim(Throwable cause, Long after) {
        return new DeliveryException(null, after, cause);
    }

    /** The reason why exactly-once is not possible, or null. */
    public String refusal() {
        return refusal;
    }

    /** The partition after which the next cycle begins, so that it does not meet the same failure; null to keep its begin. */
    public Long after() {
        return after;
    }
}
