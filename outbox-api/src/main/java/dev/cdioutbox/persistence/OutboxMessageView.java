package dev.cdioutbox.persistence;

import java.time.OffsetDateTime;

import jakarta.persistence.Cacheable;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.PrePersist;
import jakarta.persistence.PreRemove;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Table;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.operate.OutboxOperations;
import org.jspecify.annotations.Nullable;

/**
 * The messages of the outbox for an application's own JPQL, read-only. List the class in {@code persistence.xml}:
 * {@code <class>dev.cdioutbox.persistence.OutboxMessageView</class>}.
 *
 * <pre>{@code
 * List<OutboxMessageView> abandoned = entities.createQuery(
 *                 "SELECT m FROM OutboxMessageView m WHERE m.application = :application AND m.status = :status"
 *                         + " ORDER BY m.sequence",
 *                 OutboxMessageView.class)
 *         .setParameter("application", outbox.application()) // OutboxOperations
 *         .setParameter("status", OutboxStatus.ABANDONED)
 *         .getResultList();
 * }</pre>
 *
 * <p>The entity maps the database view {@code outbox_message_view} of the outbox's schema, not the table. So a
 * persistence unit with drop-and-create cannot touch the messages, and no query can change one. With another
 * {@code outbox.table-prefix}, name the view in {@code orm.xml}. To change messages, use {@link OutboxOperations},
 * which returns {@link OutboxMessage}.
 *
 * <p>Times are instants on databases that have a type for them (H2, PostgreSQL). On other databases the columns hold
 * UTC without a zone, and the driver needs a setting: on MariaDB {@code connectionTimeZone=UTC} and
 * {@code preserveInstants=true}.
 */
@Entity(name = "OutboxMessageView")
@Table(name = "outbox_message_view")
@Cacheable(false)
public class OutboxMessageView {

    @Id
    @Column(name = "seq")
    private long sequence;

    @Column(name = "message_id", insertable = false, updatable = false)
    private String messageId;

    @Column(name = "application", insertable = false, updatable = false)
    private String application;

    @Column(name = "event_type", insertable = false, updatable = false)
    private String eventType;

    @Column(name = "schema_version", insertable = false, updatable = false)
    private int schemaVersion;

    @Column(name = "aggregate_type", insertable = false, updatable = false)
    private String aggregateType;

    @Column(name = "aggregate_id", insertable = false, updatable = false)
    private String aggregateId;

    @Column(name = "message_key", insertable = false, updatable = false)
    private String messageKey;

    @Column(name = "destination", insertable = false, updatable = false)
    private String destination;

    @Column(name = "content_type", insertable = false, updatable = false)
    private String contentType;

    @Column(name = "payload", insertable = false, updatable = false)
    private String payload;

    @Column(name = "payload_binary", insertable = false, updatable = false)
    private byte[] payloadBinary;

    @Column(name = "correlation_id", insertable = false, updatable = false)
    private String correlationId;

    @Column(name = "causation_id", insertable = false, updatable = false)
    private String causationId;

    @Column(name = "tenant_id", insertable = false, updatable = false)
    private String tenantId;

    @Column(name = "occurred_at", insertable = false, updatable = false)
    private OffsetDateTime occurredAt;

    @Column(name = "created_at", insertable = false, updatable = false)
    private OffsetDateTime createdAt;

    @Column(name = "not_before", insertable = false, updatable = false)
    private OffsetDateTime notBefore;

    @Column(name = "available_at", insertable = false, updatable = false)
    private OffsetDateTime availableAt;

    @Column(name = "expires_at", insertable = false, updatable = false)
    private OffsetDateTime expiresAt;

    @Column(name = "priority", insertable = false, updatable = false)
    private Integer priority;

    @Enumerated(EnumType.STRING)
    @Column(name = "status", insertable = false, updatable = false)
    private OutboxStatus status;

    @Column(name = "attempts", insertable = false, updatable = false)
    private int attempts;

    @Column(name = "last_attempt_at", insertable = false, updatable = false)
    private OffsetDateTime lastAttemptAt;

    @Column(name = "last_error", insertable = false, updatable = false)
    private String lastError;

    @Column(name = "published_at", insertable = false, updatable = false)
    private OffsetDateTime publishedAt;

    @Column(name = "broker_message_id", insertable = false, updatable = false)
    private String brokerMessageId;

    @Column(name = "shadow_destination", insertable = false, updatable = false)
    private String shadowDestination;

    /** For Jakarta Persistence. */
    protected OutboxMessageView() {}

    @PrePersist
    @PreUpdate
    @PreRemove
    void refuse() {
        throw new UnsupportedOperationException(
                "OutboxMessageView is read-only: messages are stored by firing events and changed by OutboxOperations");
    }

    /** {@return the place in the order of dispatch} */
    public long getSequence() {
        return sequence;
    }

    /** {@return the message's id, a UUID, the same on every re-send; not null} */
    public String getMessageId() {
        return messageId;
    }

    /** {@return the application that stored the message; not null} */
    public String getApplication() {
        return application;
    }

    /** {@return the stable name of the event type; not null} */
    public String getEventType() {
        return eventType;
    }

    /** {@return the version of the payload's shape} */
    public int getSchemaVersion() {
        return schemaVersion;
    }

    /** {@return the kind of thing the event is about, or null} */
    public @Nullable String getAggregateType() {
        return aggregateType;
    }

    /** {@return the id of the thing the event is about, which is the key unless the application has set another; or null} */
    public @Nullable String getAggregateId() {
        return aggregateId;
    }

    /** {@return the ordering key, or null} */
    public @Nullable String getMessageKey() {
        return messageKey;
    }

    /** {@return the logical name of the destination; not null} */
    public String getDestination() {
        return destination;
    }

    /** {@return the media type of the payload; not null} */
    public String getContentType() {
        return contentType;
    }

    /** {@return the serialized event if it is a text; null if it is binary or was erased} */
    public @Nullable String getPayload() {
        return payload;
    }

    /** {@return a copy of the serialized event if it is binary; null if it is a text or was erased} */
    public byte @Nullable [] getPayloadBinary() {
        return payloadBinary == null ? null : payloadBinary.clone();
    }

    /** {@return the id that all messages caused by one request share, or null} */
    public @Nullable String getCorrelationId() {
        return correlationId;
    }

    /** {@return the id of the message that caused this one, or null} */
    public @Nullable String getCausationId() {
        return causationId;
    }

    /** {@return the tenant, or null} */
    public @Nullable String getTenantId() {
        return tenantId;
    }

    /** {@return the time of {@code fire()}, by the clock of that JVM; not null} */
    public OffsetDateTime getOccurredAt() {
        return occurredAt;
    }

    /** {@return the time of the insert, by the database's clock; not null} */
    public OffsetDateTime getCreatedAt() {
        return createdAt;
    }

    /** {@return the end of the delay that the application set, or null} */
    public @Nullable OffsetDateTime getNotBefore() {
        return notBefore;
    }

    /** {@return the time at which a delayed or failed message becomes due, or null} */
    public @Nullable OffsetDateTime getAvailableAt() {
        return availableAt;
    }

    /** {@return the end of the time to live, or null} */
    public @Nullable OffsetDateTime getExpiresAt() {
        return expiresAt;
    }

    /** {@return the JMS priority, or null for the default} */
    public @Nullable Integer getPriority() {
        return priority;
    }

    /** {@return the status; not null} */
    public OutboxStatus getStatus() {
        return status;
    }

    /** {@return the number of attempts: charged failures, and the success} */
    public int getAttempts() {
        return attempts;
    }

    /** {@return the time of the last attempt, discard or settlement as expired, or null} */
    public @Nullable OffsetDateTime getLastAttemptAt() {
        return lastAttemptAt;
    }

    /** {@return the reason why the last charged attempt failed, or null} */
    public @Nullable String getLastError() {
        return lastError;
    }

    /** {@return the time of publishing, or null} */
    public @Nullable OffsetDateTime getPublishedAt() {
        return publishedAt;
    }

    /** {@return the broker's id of the message, with JMS only if {@code outbox.jms.record-message-id} is true; or null} */
    public @Nullable String getBrokerMessageId() {
        return brokerMessageId;
    }

    /**
     * {@return the destination that got the message instead while {@code outbox.dispatcher.shadow-destination} was set,
     * or null}
     */
    public @Nullable String getShadowDestination() {
        return shadowDestination;
    }
}
