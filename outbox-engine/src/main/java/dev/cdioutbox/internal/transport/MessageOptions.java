package dev.cdioutbox.internal.transport;

/**
 * What an application may choose for the messages that it sends, whatever the transport makes of it.
 *
 * @param cloudEvents whether messages carry the attributes of CloudEvents as properties
 * @param source the attribute {@code source} of CloudEvents, a URI reference
 * @param recordMessageId whether JMS records the JMSMessageID in the row; Kafka always records topic, partition and offset
 */
public record MessageOptions(boolean cloudEvents, String source, boolean recordMessageId) {}
