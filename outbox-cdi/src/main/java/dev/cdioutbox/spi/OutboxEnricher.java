package dev.cdioutbox.spi;

/**
 * Adds to what travels with an event: headers, a tenant, a delay. Make a CDI bean of it; every such bean is asked, the one
 * with the lowest {@code @Priority} first and those without one last.
 *
 * <p>Called in {@code fire()}, on the caller's thread and in its transaction, once for each event whatever the number of
 * its destinations, by many threads at a time. Whatever it throws fails {@code fire()} and rolls the transaction back.
 */
@FunctionalInterface
public interface OutboxEnricher {

    /**
     * Sets what this enricher knows.
     *
     * @param event the event as fired; not null
     * @param metadata to be changed, and not to be kept; not null
     * @throws Exception if the event must not go out like this
     */
    void enrich(Object event, OutboxMetadata metadata) throws Exception;
}
