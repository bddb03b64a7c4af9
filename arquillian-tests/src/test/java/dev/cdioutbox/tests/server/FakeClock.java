package dev.cdioutbox.tests.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/**
 * A wall clock that a test sets while processes run by it. The monotonic clock stays right, as when an administrator or
 * NTP sets the clock of a machine. Needs Debian's package {@code faketime}.
 */
public final class FakeClock {
    private static final Path LIBRARY = Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1");

    private final Path file;

    public FakeClock(String name) {
        try {
            file = LibertyServer.fresh(name).resolve("clock");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        set(0);
    }

    /** Sets the clock so many hours ahead of the right time, or behind it if negative. */
    public void set(int hours) {
        try {
            Path written = Files.writeString(file.resolveSibling("next"), "%+dh%n".formatted(hours));
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The environment of a process that lives by this clock. */
    public Map<String, String> environment() {
        return environment("FAKETIME_TIMESTAMP_FILE", file.toString());
    }

    /**
     * The environment of a process whose clock is wrong from its start, and is not set later.
     *
     * @param time in libfaketime's format: an offset to the right time, or an absolute time in UTC at which the clock starts
     */
    public static Map<String, String> environment(String time) {
        return environment("FAKETIME", time);
    }

    private static Map<String, String> environment(String variable, String value) {
        assertThat(LIBRARY)
                .as("libfaketime is missing: install the Debian package faketime, or run without this test")
                .exists();
        return Map.of(
                "LD_PRELOAD",
                LIBRARY.toString(),
                variable,
                value,
                "FAKETIME_CACHE_DURATION",
                "1",
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1",
                // The default is for old versions of glibc. It lets each wait of a JVM end at once.
                "FAKETIME_FORCE_MONOTONIC_FIX",
                "0",
                // The files of a server do not change with its clock.
                "NO_FAKE_STAT",
                "1");
    }
}
