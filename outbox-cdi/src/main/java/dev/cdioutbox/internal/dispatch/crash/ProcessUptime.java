package dev.cdioutbox.internal.dispatch.crash;

import java.lang.management.ManagementFactory;
import java.time.Duration;

/** The uptime of this process. An interface, since a test runs several nodes in one JVM. */
public interface ProcessUptime {
    ProcessUptime OF_JVM =
            () -> Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());

    Duration now();
}
