package dev.cdioutbox.internal.config;

public record CaptureConfig(OutsideTransaction outsideTransaction, int maxPayloadBytes) {

    /** What becomes of an event that is fired where no transaction is. */
    public enum OutsideTransaction {
        REJECT,
        OWN_TRANSACTION
    }
}
