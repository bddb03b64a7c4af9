package dev.cdioutbox.tests.crash;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Sends signals to processes that the tests have started. */
final class Signals {
    private Signals() {}

    /** @param signal for example {@code -STOP} */
    static void send(String signal, long process) {
        try {
            new ProcessBuilder("kill", signal, String.valueOf(process))
                    .start()
                    .onExit()
                    .join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
