package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** Reads the CPU time of processes on Linux. */
final class CpuTime {
    /** USER_HZ, the unit of /proc: 100 on each platform that the tests support. */
    private static final int TICK_MILLIS = 10;
    /** The fields utime, stime, cutime and cstime, counted from the field behind the name of the process. */
    private static final int FIRST = 11;

    private static final int FIELDS = 4;

    private CpuTime() {}

    /** The time of a process and its descendants, with those that have ended. */
    static Duration of(ProcessHandle process) {
        long ticks = Stream.concat(Stream.of(process), process.descendants())
                .mapToLong(CpuTime::ticks)
                .sum();
        return Duration.ofMillis(ticks * TICK_MILLIS);
    }

    private static long ticks(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", String.valueOf(process.pid()), "stat"));
            return Stream.of(stat.substring(stat.lastIndexOf(')') + 2).split(" "))
                    .skip(FIRST)
                    .limit(FIELDS)
                    .mapToLong(Long::parseLong)
                    .sum();
        } catch (IOException e) {
            if (process.isAlive()) {
                throw new UncheckedIOException(e);
            }
            // Its parent has its time now.
            return 0;
        }
    }
}
