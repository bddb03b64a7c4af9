package dev.cdioutbox.tests.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import dev.cdioutbox.tests.server.WorkingCopy;

/** The properties of this machine on which figures depend. */
final class Machine {
    private static final long FSYNC_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The unit in which PostgreSQL writes its log. */
    private static final int PAGE_BYTES = 8192;

    private static Map<String, String> conditions;

    private Machine() {}

    /** Measures the disk at the first call. */
    static synchronized Map<String, String> conditions() {
        if (conditions == null) {
            conditions = new TreeMap<>();
            conditions.put("cores", String.valueOf(Runtime.getRuntime().availableProcessors()));
            conditions.put("Java", Runtime.version().toString());
            conditions.put(Result.COMMIT, WorkingCopy.commit());
            conditions.put("fsyncs/s of the disk", String.valueOf(fsyncsPerSecond()));
        }
        return conditions;
    }

    /** The average number of threads that want a core, of the last minute. Other work on the machine shows here. */
    static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private static long fsyncsPerSecond() {
        try {
            Path file = Files.createDirectories(Result.folder()).resolve("fsync");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                long begun = System.nanoTime();
                long writes = 0;
                while (System.nanoTime() - begun < FSYNC_NANOS) {
                    channel.write(ByteBuffer.allocate(PAGE_BYTES), 0);
                    channel.force(false);
                    writes++;
                }
                return writes * TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - begun);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
