/**
 * The edge of the engine for transports: what {@code outbox-jms} and {@code outbox-kafka} need beside the public
 * {@code OutboxPublisher}. Enter at {@code Destinations}, which a publisher injects.
 *
 * <pre>
 *   who                         what for                                     type
 *   -------------------------   ------------------------------------------   ----------------------------------
 *   a publisher                 how is a destination configured?             Destinations, DestinationSettings,
 *                                                                            TransportDestination, MessageOptions
 *   a publisher, a consumer     which texts does a message carry?            Envelope
 *   a publisher, a consumer     spans                                        Traces
 *   a consumer                  the cause of the events that it fires        CausingMessage
 *   the publisher of Kafka      topics of change data capture                TopicReader, TopicLimits
 *   an extension                what is wrong with the deployment            DeploymentFindings
 * </pre>
 *
 * <p>It depends on the API and the codes only. Its interfaces are implemented by those who have the answers, such as the
 * configuration. A transport also uses packages {@code deadletter} and {@code consume}, and no other; an architecture test lists
 * them.
 */
package dev.cdioutbox.internal.transport;
