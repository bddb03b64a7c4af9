package dev.cdioutbox.internal.capture;

/** A capture for tests that fire no event, but need an open outbox. */
public final class TestCapture {
    private TestCapture() {}

    public static Capture idle() {
        return new Capture(null, null, null, null);
    }
}
