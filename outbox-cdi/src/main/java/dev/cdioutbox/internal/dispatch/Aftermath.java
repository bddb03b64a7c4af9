package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.internal.config.RetentionConfig;
import dev.cdioutbox.internal.store.Lease;

/**
 * What becomes of messages after they were sent: of those that failed, and of those that are done.
 *
 * @param lease under which they were claimed, or null
 */
record Aftermath(RetryPolicy retry, RetentionConfig retention, Lease lease) {}
