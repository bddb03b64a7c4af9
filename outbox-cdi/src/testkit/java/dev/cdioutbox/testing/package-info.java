/**
 * The test kit, in the jar with the classifier {@code testing}. {@link dev.cdioutbox.testing.CapturedEvents} records
 * the events of a call in a unit test. {@link dev.cdioutbox.testing.OutboxWait} waits in a test on a server until the
 * outbox is drained or a message is abandoned. {@link dev.cdioutbox.testing.EventContracts} guards the payloads that consumers
 * rely on. {@link dev.cdioutbox.testing.PublisherContract} has the tests of a publisher.
 */
@NullMarked
package dev.cdioutbox.testing;

import org.jspecify.annotations.NullMarked;
