package dev.cdioutbox.internal.dispatch;

import java.lang.management.ManagementFactory;
import java.time.Duration;

/** For how long this process has been running: a test has several in one JVM. */
interface ProcessUptime {
    ProcessUptime OF_JVM =
            () -> Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());

    Duration now();
}
