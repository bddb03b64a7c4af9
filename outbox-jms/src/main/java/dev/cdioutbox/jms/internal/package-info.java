/**
 * The edge to EJB and JMS. Dispatch: {@code DispatchTimer} and {@code WorkerStarter} run the workers, {@code
 * ContainerTransactions} gives them transactions, {@code JmsPublisher}, {@code JmsSender} and {@code MessageMapping}
 * send, {@code ApplicationEvents} fires CDI events for the application. Receiving: {@code IdempotentConsumerInterceptor} and {@code Consumption} record each message, {@code
 * ConsumerExtension} and {@code ConsumerCheck} refuse consumers that cannot be idempotent, {@code InboxTimer} and
 * {@code InboxSweep} forget old ids. Enter at one of these. Only the container calls it.
 */
package dev.cdioutbox.jms.internal;
