package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.DatabaseClock;

/**
 * What becomes of messages after they were sent: of those that failed, and of those that are done; and the clock by which
 * it is told when that was.
 */
record Aftermath(RetryPolicy retry, RetentionConfig retention, DatabaseClock clock) {}
