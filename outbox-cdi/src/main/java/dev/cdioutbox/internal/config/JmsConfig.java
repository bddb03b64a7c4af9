package dev.cdioutbox.internal.config;

/**
 * What JMS messages carry beside the usual, and what is kept of them.
 *
 * @param cloudEvents whether they have the attributes of CloudEvents as properties
 * @param source their attribute {@code source}, a URI reference
 * @param recordMessageId whether a published message's row gets its JMSMessageID
 */
public record JmsConfig(boolean cloudEvents, String source, boolean recordMessageId) {}
