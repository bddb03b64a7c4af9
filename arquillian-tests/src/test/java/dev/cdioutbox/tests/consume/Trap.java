package dev.cdioutbox.tests.consume;

import java.io.Serializable;

/** Tells when somebody reads it from its serialized form. */
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
