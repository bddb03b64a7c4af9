package dev.cdioutbox.tests.server;

import java.time.Duration;

/**
 * How long a test that is not in a server waits for an effect. A server that starts beside other builds has needed more
 * than four minutes on two cores; a hang is only reported later.
 */
public final class Patience {
    public static final Duration LONG = Duration.ofMinutes(15);

    private Patience() {}
}
