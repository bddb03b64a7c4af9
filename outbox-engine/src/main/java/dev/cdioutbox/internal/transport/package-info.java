/**
 * The edge of the engine for transports: what {@code outbox-jms} and {@code outbox-kafka} need beside the public
 * {@code OutboxPublisher} of package {@code spi}. They use nothing else of the engine but its codes, and an architecture test fails if they do. Enter
 * at {@code Destinations}, which a publisher injects.
 *
 * <pre>
 *   a publisher asks            Destinations, for DestinationSettings: TransportDestination, MessageOptions
 *   a publisher writes          Envelope, the texts that a message carries on every transport
 *   a publisher can tell        TopicReader, for the limits of topics to which change data capture sends
 *   sends and consumers have    Traces, for their spans
 *   a consumer sets             CausingMessage, the cause of the events that it fires
 *   an extension reports to     DeploymentFindings
 * </pre>
 *
 * <p>The package depends on the API and the codes only. The configuration and the outboxes implement its interfaces, so no value
 * is copied on its way to a transport. What a consumer needs beside it is in package {@code consume}, since it needs CDI, and the
 * dead letters are in package {@code deadletter}.
 */
package dev.cdioutbox.internal.transport;
