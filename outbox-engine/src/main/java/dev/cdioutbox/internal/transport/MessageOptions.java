package dev.cdioutbox.internal.transport;

/**
 * What an application may choose for the messages that it sends, with any transport.
 *
 * @param cloudEvents whether messages carry the attributes of CloudEvents as properties
 * @param source the attribute {@code source} of CloudEvents, a URI reference
 * @param recordMessageId whether the outbox records the JMSMessageID in the row
 */
public record MessageOptions(boolean cloudEvents, String source, boolean recordMessageId) {}
