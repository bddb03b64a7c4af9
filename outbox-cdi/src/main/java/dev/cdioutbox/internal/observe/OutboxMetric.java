package dev.cdioutbox.internal.observe;

import static dev.cdioutbox.internal.observe.OutboxMetric.Kind.COUNTER;
import static dev.cdioutbox.internal.observe.OutboxMetric.Kind.GAUGE;
import static dev.cdioutbox.internal.observe.OutboxMetric.Kind.TIMER;
import static dev.cdioutbox.internal.observe.OutboxMetric.Label.CONSUMER;
import static dev.cdioutbox.internal.observe.OutboxMetric.Label.DESTINATION;
import static dev.cdioutbox.internal.observe.OutboxMetric.Label.STATE;
import static dev.cdioutbox.internal.observe.OutboxMetric.Label.TYPE;

import dev.cdioutbox.spi.DestinationId;

/**
 * A metric. Prometheus shows {@code cdioutbox_x} for what comes by OpenTelemetry, where MicroProfile Metrics shows
 * {@code outbox_x}. Only what was sent has the name that OpenTelemetry's semantic conventions give it.
 */
enum OutboxMetric {
    CAPTURED(COUNTER, "outbox_captured_total", "{message}", TYPE, "messages whose transaction committed on this node"),
    PUBLISHED(COUNTER, "outbox_published_total", "{message}", DESTINATION, "messages sent and settled by this node"),
    FAILURES(
            COUNTER,
            "outbox_publish_failures_total",
            "{message}",
            DESTINATION,
            "messages rolled back, charged or unreadable on this node; one that fails twice counts twice"),
    FAILED_RUNS(
            COUNTER,
            "outbox_failed_runs_total",
            "{run}",
            DESTINATION,
            "runs of this node that ended with a failure, of the database or the broker"),
    INCOMPLETE_COMMITS(
            COUNTER,
            "outbox_incomplete_commits_total",
            "{message}",
            DESTINATION,
            "messages of this node in a commit that the transaction manager has to finish"),
    SHADOWED(
            COUNTER,
            "outbox_shadowed_total",
            "{message}",
            DESTINATION,
            "messages settled by this node with a shadow mark, not sent to their destination"),
    DEAD_LETTERED(
            COUNTER,
            "outbox_dead_lettered_total",
            "{message}",
            DESTINATION,
            "messages given up by this node whose copy waits for the dead-letter destination"),
    RETRIES(COUNTER, "outbox_retries_total", "{retry}", null, "retries scheduled by this node"),
    ABANDONED(COUNTER, "outbox_abandoned_total", "{message}", null, "messages abandoned by this node"),
    EXPIRED(
            COUNTER,
            "outbox_expired_total",
            "{message}",
            null,
            "messages whose time to live was over before this node could send them"),
    DUPLICATES_SKIPPED(
            COUNTER,
            "outbox_duplicates_skipped_total",
            "{message}",
            CONSUMER,
            "received messages that were handled before"),
    STALE_SKIPPED(
            COUNTER,
            "outbox_stale_skipped_total",
            "{message}",
            CONSUMER,
            "received messages that a later one of their key overtook"),
    CONSUMER_FAILURES(
            Kind.COUNTER,
            "outbox_consumer_failures_total",
            "{delivery}",
            Label.CONSUMER,
            "deliveries to this node's consumer that were rolled back or refused"),
    CONSUMER_REDELIVERIES(
            Kind.COUNTER,
            "outbox_consumer_redeliveries_total",
            "{delivery}",
            Label.CONSUMER,
            "deliveries to this node's consumer that repeated an earlier one"),

    DEAD_LETTERS(
            GAUGE,
            "outbox_dead_letters",
            "{message}",
            Label.QUEUE,
            "dead letters of consumers in this queue, counted up to 100; not a number while the broker does not tell"),
    CLAIM(TIMER, "outbox_claim", "s", DESTINATION, "how long this node took to claim partitions"),
    PUBLISH(TIMER, "outbox_publish", "s", DESTINATION, "how long this node took to send, settle and commit a batch"),
    DELIVERY_LATENCY(
            TIMER,
            "outbox_delivery_latency",
            "s",
            DESTINATION,
            "from when a message was stored until it was sent and settled, by the database's clock"),

    STORE_AGE(
            GAUGE,
            "outbox_store_age_seconds",
            "s",
            null,
            "time since this node's dispatcher last read the tables, or since its start; not a number without a dispatcher"),
    LAST_TICK_AGE(
            GAUGE,
            "outbox_last_tick_age_seconds",
            "s",
            null,
            "time since the dispatcher's timer last called on this node; not a number without a dispatcher"),
    PARTITIONS_HELD(
            GAUGE,
            "outbox_partitions_held",
            "{partition}",
            null,
            "partitions that this node has claimed at this moment"),
    DISPATCHER_ENABLED(
            GAUGE, "outbox_dispatcher_enabled", "", null, "1 if this node dispatches, 0 if its messages accumulate"),
    SHADOWING(
            GAUGE,
            "outbox_shadowing",
            "",
            null,
            "1 if this node sends elsewhere, to the shadow destination or nowhere"),
    DESTINATION_PARTITIONS_HELD(
            GAUGE,
            "outbox_destination_partitions_held",
            "{partition}",
            DESTINATION,
            "its partitions that this node has claimed at this moment"),
    SILENT(
            GAUGE,
            "outbox_silent_seconds",
            "s",
            DESTINATION,
            "for how long a thread of this node has waited for the broker or the database"),
    RATE_LIMITED(
            GAUGE,
            "outbox_rate_limited",
            "",
            DESTINATION,
            "1 if its rate has held messages back on this node in the last ten seconds"),
    IN_DOUBT(
            GAUGE,
            "outbox_in_doubt_messages",
            "{message}",
            DESTINATION,
            "its messages in doubt, as this node found them"),
    IN_DOUBT_AGE(
            GAUGE,
            "outbox_in_doubt_age_seconds",
            "s",
            DESTINATION,
            "for how long this node has known the first of them"),
    IN_DOUBT_KEYS(
            GAUGE,
            "outbox_in_doubt_keys",
            "{key}",
            DESTINATION,
            "the keys of its messages in doubt, as this node found them"),
    IN_DOUBT_FOLLOWERS(
            GAUGE,
            "outbox_in_doubt_followers",
            "{message}",
            DESTINATION,
            "messages that wait behind those in doubt, as this node found them"),
    CDC_LAG_BYTES(
            GAUGE,
            "outbox_cdc_lag_bytes",
            "By",
            null,
            "bytes of the database's log that the connector has not confirmed"),
    CDC_LAG(
            GAUGE,
            "outbox_cdc_lag_seconds",
            "s",
            null,
            "for how long the connector has not confirmed what was in the database's log then"),
    CDC_READ(
            GAUGE,
            "outbox_cdc_read",
            "",
            null,
            "1 if a connector reads the replication slot, 0 if messages wait in the log"),
    MESSAGES(GAUGE, "outbox_messages", "{message}", STATE, "messages that are not settled"),
    OLDEST_PENDING_AGE(
            GAUGE,
            "outbox_oldest_pending_age_seconds",
            "s",
            null,
            "age of the oldest message that still has to be sent"),
    PAUSED(
            GAUGE,
            "outbox_paused",
            "{destination}",
            null,
            "destinations that an operator paused; all of them count as one"),
    DESTINATION_OLDEST_AGE(
            GAUGE,
            "outbox_destination_oldest_age_seconds",
            "s",
            DESTINATION,
            "age of the oldest message that still has to be sent there"),
    BLOCKED_KEYS(GAUGE, "outbox_blocked_keys", "{key}", DESTINATION, "keys that wait for a retry or an operator"),
    BLOCKED_FOLLOWERS(
            GAUGE,
            "outbox_blocked_followers",
            "{message}",
            DESTINATION,
            "messages that wait behind the first message of a blocked key"),
    BLOCKED_AGE(
            GAUGE,
            "outbox_blocked_age_seconds",
            "s",
            DESTINATION,
            "for how long the key has been blocked that was blocked first"),
    DESTINATION_FAILING(
            GAUGE,
            "outbox_destination_failing",
            "",
            DESTINATION,
            "1 if it may be at fault itself, so that this node abandons none of its messages"),
    DESTINATION_PAUSED(GAUGE, "outbox_destination_paused", "", DESTINATION, "1 if an operator paused it, or all");

    private final Kind kind;
    private final String name;
    private final String unit;
    private final Label label;
    private final String description;

    OutboxMetric(Kind kind, String name, String unit, Label label, String description) {
        this.kind = kind;
        this.name = name;
        this.unit = unit;
        this.label = label;
        this.description = description;
    }

    Kind kind() {
        return kind;
    }

    /** The unit by UCUM; empty for a flag. */
    String unit() {
        return unit;
    }

    /** What tells the series of this metric apart; null if there is only one. */
    Label label() {
        return label;
    }

    String description() {
        return description;
    }

    /** The name in MicroProfile Metrics, which appends the unit to that of a timer by itself. */
    String microProfileName() {
        return name;
    }

    /** Whether this counts the messages of a send: successful or failed ones. */
    boolean isOfSend() {
        return this == PUBLISHED || this == FAILURES;
    }

    /** Without what Prometheus appends for the kind and the unit. */
    String openTelemetryName() {
        return isOfSend()
                ? "messaging.client.sent.messages"
                : "cdioutbox." + name.replaceAll("^outbox_|_total$|_seconds$", "");
    }

    enum Kind {
        COUNTER,
        TIMER,
        GAUGE
    }

    /** A label of MicroProfile Metrics, which is an attribute of OpenTelemetry. */
    enum Label {
        TYPE("type", "cdioutbox.event.type"),
        DESTINATION("destination", "cdioutbox.destination.name"),
        STATE("state", "cdioutbox.message.state"),
        CONSUMER("consumer", "cdioutbox.consumer.name"),
        QUEUE("queue", "cdioutbox.queue.name");

        private final String tag;
        private final String attribute;

        Label(String tag, String attribute) {
            this.tag = tag;
            this.attribute = attribute;
        }

        String tag() {
            return tag;
        }

        String attribute() {
            return attribute;
        }
    }

    /** @param value the value of the metric's label, for a destination its {@link DestinationId}; null if it has none */
    record Series(OutboxMetric metric, Object value) {}
}
