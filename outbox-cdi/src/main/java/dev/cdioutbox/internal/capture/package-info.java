/**
 * Captures fired events in their transaction. Enter at {@link dev.cdioutbox.internal.capture.OutboxExtension} for what the
 * container calls, at {@code OutboxDeployment} for the deployment, at {@code EventRouter} for {@code fire()}, and at {@code
 * TransactionBuffer} for the write before the commit. Only the container calls this package.
 */
package dev.cdioutbox.internal.capture;
