package dev.cdioutbox.internal.config;

public record CaptureConfig(OutsideTransaction outsideTransaction, int maxPayloadBytes) {

    /** How the outbox handles an event fired outside of a transaction. */
    public enum OutsideTransaction {
        REJECT,
        OWN_TRANSACTION
    }
}
