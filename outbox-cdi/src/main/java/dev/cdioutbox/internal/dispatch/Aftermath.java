package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.internal.config.RetentionConfig;

/** What becomes of messages after they were sent: of those that failed, and of those that are done. */
record Aftermath(RetryPolicy retry, RetentionConfig retention) {}
