package dev.cdioutbox.tests.consume;

import java.io.Serializable;

/** Records whether a reader has deserialized it. */
final class Trap implements Serializable {
    private static final long serialVersionUID = 1L;

    private static volatile boolean sprung;

    static boolean sprung() {
        return sprung;
    }

    private Object readResolve() {
        sprung = true;
        return this;
    }
}
