package dev.cdioutbox.internal.deadletter;

/**
 * A queue into which a broker puts the messages that their consumers could not handle.
 *
 * @param name its name in the configuration
 * @param connectionFactory its JNDI name
 */
public record DeadLetterQueue(String name, String jndi, String connectionFactory) {}
