package dev.cdioutbox.internal.dispatch;

import java.lang.management.ManagementFactory;
import java.time.Duration;

/** For how long this process has been running: a test has several in one JVM. */
interface Age {
    Age OF_THE_JVM =
            () -> Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());

    Duration now();
}
