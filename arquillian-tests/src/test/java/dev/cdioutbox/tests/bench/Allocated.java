package dev.cdioutbox.tests.bench;

import java.lang.management.ManagementFactory;
import java.util.Arrays;

import com.sun.management.ThreadMXBean;

/**
 * The bytes that this JVM's threads have allocated so far.
 *
 * @param here by the calling thread
 * @param elsewhere by the other threads that live
 */
record Allocated(long here, long elsewhere) {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    static Allocated now() {
        long here = THREADS.getCurrentThreadAllocatedBytes();
        long all = Arrays.stream(THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds()))
                .filter(bytes -> bytes >= 0)
                .sum();
        return new Allocated(here, all - here);
    }
}
