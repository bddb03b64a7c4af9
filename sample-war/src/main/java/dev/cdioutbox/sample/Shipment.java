package dev.cdioutbox.sample;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A message that the consumer handled. */
@Entity
@Table(name = "shipment")
public class Shipment {

    @Id
    private String id;

    // Not unique, and not the primary key: if a message were ever handled twice, the page and the tests would show it.
    @Column(name = "message_id")
    private String messageId;

    @Column(name = "order_id")
    private String orderId;

    @Column(name = "event_type")
    private String eventType;

    @Column(name = "sequence_no")
    private long sequence;

    private String payload;

    @Column(name = "received_at")
    private OffsetDateTime receivedAt;

    /** For Jakarta Persistence. */
    protected Shipment() {}

    Shipment(String messageId, String orderId, String eventType, long sequence, String payload) {
        this.id = UUID.randomUUID().toString();
        this.messageId = messageId;
        this.orderId = orderId;
        this.eventType = eventType;
        this.sequence = sequence;
        this.payload = payload;
        this.receivedAt = OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MICROS);
    }

    String messageId() {
        return messageId;
    }

    String orderId() {
        return orderId;
    }

    String eventType() {
        return eventType;
    }

    long sequence() {
        return sequence;
    }

    String payload() {
        return payload;
    }

    Instant receivedAt() {
        return receivedAt.toInstant();
    }
}
