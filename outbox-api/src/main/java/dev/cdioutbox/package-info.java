/**
 * The API for an application that fires events and observes their delivery: annotate an event with
 * {@link dev.cdioutbox.OutboxEvent}, its key with {@link dev.cdioutbox.OutboxKey}, and fire it.
 *
 * <p>Without any configuration, the outbox creates its tables in {@code java:comp/DefaultDataSource}, and {@code outbox-jms}
 * sends to {@code jms/outbox} through {@code java:comp/DefaultJMSConnectionFactory}. The keys {@code outbox.…} of
 * MicroProfile Config change that; {@code docs/configuration.md} in the project describes them.
 */
@NullMarked
package dev.cdioutbox;

import org.jspecify.annotations.NullMarked;
