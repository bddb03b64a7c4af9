package dev.cdioutbox.spi;

/**
 * Adds metadata to an event: headers, a tenant, a delay. Implement this interface as a CDI bean. The outbox calls every
 * such bean: by ascending {@code @Priority}, then the beans without one.
 *
 * <pre>{@code
 * @ApplicationScoped
 * public class TenantEnricher implements OutboxEnricher {
 *     @Inject
 *     Tenant tenant;
 *
 *     public void enrich(Object event, OutboxMetadata metadata) {
 *         metadata.tenantId(tenant.id()).header("source", "shop");
 *     }
 * }
 * }</pre>
 *
 * <p>The outbox calls an enricher in {@code fire()}, on the caller's thread and in its transaction, once for each event
 * and not once for each destination. Many threads may call at once. An exception fails {@code fire()} and rolls the
 * transaction back.
 */
@FunctionalInterface
public interface OutboxEnricher {

    /**
     * Sets the metadata that this enricher knows.
     *
     * @param event the event as fired; not null
     * @param metadata the metadata to change; valid during this call only; not null
     * @throws Exception to refuse the event. The caller of {@code fire()} gets an {@link
     *     dev.cdioutbox.EventRefusedException} as it is, and else an {@link dev.cdioutbox.OutboxException} (OBX-0115)
     */
    void enrich(Object event, OutboxMetadata metadata) throws Exception;
}
