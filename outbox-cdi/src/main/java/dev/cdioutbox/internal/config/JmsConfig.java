package dev.cdioutbox.internal.config;

/**
 * Optional properties and records of JMS messages.
 *
 * @param cloudEvents whether messages carry the attributes of CloudEvents as properties
 * @param source the attribute {@code source} of CloudEvents, a URI reference
 * @param recordMessageId whether the outbox records the JMSMessageID in the row
 */
public record JmsConfig(boolean cloudEvents, String source, boolean recordMessageId) {}
