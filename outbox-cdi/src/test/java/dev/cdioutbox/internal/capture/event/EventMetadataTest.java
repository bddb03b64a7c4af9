package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.store.NewMessage.Terms;
import dev.cdioutbox.internal.store.StoredMessage.Context;
import dev.cdioutbox.internal.store.StoredMessage.Event;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards that metadata that cannot be stored is refused when it is set, and that an external destination gets only its
 * own headers.
 */
class EventMetadataTest {
    private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final Map<String, BiConsumer<EventMetadata, String>> IDS = Map.of(
            "correlation", EventMetadata::correlationId,
            "causation", EventMetadata::causationId,
            "tenant", EventMetadata::tenantId,
            "aggregate", EventMetadata::aggregateId);

    private final EventMetadata metadata =
            new EventMetadata("shop.Placed", new Event("placed", 1, null, "order-1"), List.of("default"));

    @Test
    void eventIsKnownToItsEnrichers() {
        assertThat(metadata.eventType()).isEqualTo("placed");
        assertThat(metadata.key()).isEqualTo("order-1");
        assertThat(metadata.aggregateId()).isEqualTo("order-1");
    }

    @Test
    void nothingIsSetByDefault() {
        assertThat(metadata.context()).isEqualTo(Context.NONE);
        assertThat(metadata.externalContext()).isEqualTo(external(Map.of()));
        assertThat(metadata.terms()).isSameAs(Terms.NONE);
    }

    @Test
    void idsAreLimitedToTheirColumns() {
        IDS.forEach((kind, id) -> {
            id.accept(metadata, "x".repeat(255));
            assertRefused(
                    () -> id.accept(metadata, "x".repeat(256)),
                    "its " + kind + " id has 256 characters; at most 255 are allowed");
            assertRefused(() -> id.accept(metadata, "a\0b"), "its " + kind + " id contains the character U+0000");
        });
        assertThat(metadata.context())
                .as("what was refused changed nothing")
                .isEqualTo(new Context("x".repeat(255), "x".repeat(255), "x".repeat(255), Map.of()));
    }

    @Test
    void destinationsNeedNames() {
        assertRefused(() -> metadata.destinations(new String[0]), "it would be sent to no destination");
        assertRefused(() -> metadata.destinations("audit", null), "a destination is null");
        assertThat(metadata.destinations()).containsExactly("default");
    }

    @Test
    void idsCanBeTakenAway() {
        IDS.forEach((kind, id) -> {
            id.accept(metadata, kind);
            id.accept(metadata, null);
        });
        assertThat(metadata.context()).isEqualTo(Context.NONE);
    }

    /** One enricher may respect what another one has set. */
    @Test
    void whatIsSetCanBeRead() {
        assertThat(metadata.deliverNotBefore()).isNull();
        assertThat(metadata.timeToLive()).isNull();
        assertThat(metadata.priority()).isNull();
        metadata.correlationId("correlation").causationId("causation").tenantId("tenant");
        metadata.deliverNotBefore(LAST).timeToLive(LONGEST).priority(9);

        assertThat(metadata.correlationId()).isEqualTo("correlation");
        assertThat(metadata.causationId()).isEqualTo("causation");
        assertThat(metadata.tenantId()).isEqualTo("tenant");
        assertThat(metadata.deliverNotBefore()).isEqualTo(LAST);
        assertThat(metadata.timeToLive()).isEqualTo(LONGEST);
        assertThat(metadata.priority()).isEqualTo(9);
    }

    @Test
    void headersAreLimited() {
        metadata.header("most", "x".repeat(32_768));
        metadata.externalHeader("most", "x".repeat(32_768));

        assertRefused(
                () -> metadata.header("long", "x".repeat(32_769)),
                "the header 'long' has 32769 characters; at most 32768 are allowed");
        assertRefused(() -> metadata.externalHeader("long", "x".repeat(32_769)), "the header 'long' has 32769");
        assertThat(metadata.headers()).containsOnlyKeys("most");
        assertThat(metadata.externalContext().headers()).containsOnlyKeys("most");
    }

    @Test
    void headerNamesAreCheckedWhereverTheHeaderGoes() {
        assertRefused(() -> metadata.header("messageId", "x"), "the header 'messageId' is set by the outbox itself");
        assertRefused(() -> metadata.externalHeader("JMSX", "x"), "the header 'JMSX' begins with JMS");
        assertRefused(() -> metadata.header(null, "x"), "the header 'null' is no JMS property name");
        assertRefused(() -> metadata.header("traceparent", null), "is set by the outbox itself");
    }

    @Test
    void strangersSeeTheHeadersMarkedForThemAndNothingElse() {
        metadata.correlationId("correlation").causationId("causation").tenantId("tenant");
        metadata.trace("traceparent", "00-trace");
        metadata.header("internal", "1").externalHeader("both", "2");

        assertThat(metadata.externalContext()).isEqualTo(external(Map.of("both", "2")));
        assertThat(metadata.context())
                .isEqualTo(new Context(
                        "correlation",
                        "causation",
                        "tenant",
                        Map.of("traceparent", "00-trace", "internal", "1", "both", "2")));
    }

    @Test
    void headerThatIsSetAgainFollowsTheLastWord() {
        metadata.externalHeader("name", "for all").header("name", "secret");
        assertThat(metadata.headers()).containsEntry("name", "secret");
        assertThat(metadata.externalContext()).isEqualTo(external(Map.of()));

        metadata.externalHeader("name", "for all again");
        assertThat(metadata.headers()).containsEntry("name", "for all again");
        assertThat(metadata.externalContext().headers()).containsEntry("name", "for all again");
    }

    @Test
    void nullTakesAHeaderAwayEverywhere() {
        metadata.externalHeader("a", "1").externalHeader("a", null);
        metadata.externalHeader("b", "1").header("b", null);

        assertThat(metadata.context()).isEqualTo(Context.NONE);
        assertThat(metadata.externalContext()).isEqualTo(external(Map.of()));
    }

    @Test
    void headersAreSeenAsACopy() {
        Map<String, String> seen = metadata.header("a", "1").headers();
        metadata.header("b", "2");

        assertThat(seen).containsOnlyKeys("a");
        assertThatThrownBy(() -> seen.put("c", "3")).isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "  ", "a=\0", "a=é", "a=1\r\nb=2"})
    void traceThatNoHeaderMayContainIsLeftOut(String value) {
        metadata.trace("traceparent", "00-trace");
        metadata.trace("traceparent", value);
        metadata.trace("tracestate", value);

        assertThat(metadata.headers()).isEmpty();
    }

    @Test
    void traceThatIsTooLongIsLeftOut() {
        metadata.trace("traceparent", "0".repeat(512));
        metadata.trace("tracestate", "a=" + "x".repeat(510));
        assertThat(metadata.headers())
                .hasEntrySatisfying("traceparent", parent -> assertThat(parent).hasSize(512))
                .hasEntrySatisfying("tracestate", state -> assertThat(state).hasSize(512));

        metadata.trace("traceparent", "0".repeat(513));
        metadata.trace("tracestate", "a=" + "x".repeat(511));
        assertThat(metadata.headers()).isEmpty();
    }

    @Test
    void delayStaysWithinWhatDatabasesKeep() {
        metadata.deliverNotBefore(Instant.EPOCH);
        assertThat(metadata.terms()).isEqualTo(new Terms(Instant.EPOCH, null, null));
        metadata.deliverNotBefore(LAST);
        assertThat(metadata.terms().notBefore()).isEqualTo(LAST);

        assertRefused(() -> metadata.deliverNotBefore(Instant.EPOCH.minusNanos(1)), "deliver-not-before is 1969-");
        assertRefused(() -> metadata.deliverNotBefore(LAST.plusNanos(1)), "deliver-not-before is 9999-");
        assertThat(metadata.deliverNotBefore(null)).isSameAs(metadata);
        assertThat(metadata.terms()).isSameAs(Terms.NONE);
    }

    @Test
    void timeToLiveIsAMillisecondToTenYears() {
        metadata.timeToLive(Duration.ofMillis(1));
        assertThat(metadata.terms()).isEqualTo(new Terms(null, Duration.ofMillis(1), null));
        metadata.timeToLive(LONGEST);
        assertThat(metadata.terms().timeToLive()).isEqualTo(LONGEST);

        for (Duration wrong :
                new Duration[] {Duration.ZERO, Duration.ofNanos(999_999), Duration.ofDays(-1), LONGEST.plusNanos(1)}) {
            assertRefused(() -> metadata.timeToLive(wrong), "its time to live is " + wrong);
        }
        assertThat(metadata.timeToLive(null)).isSameAs(metadata);
        assertThat(metadata.terms()).isSameAs(Terms.NONE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 9})
    void priorityIsJms(int priority) {
        metadata.priority(priority);

        assertThat(metadata.terms()).isEqualTo(new Terms(null, null, priority));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 10})
    void priorityOfAnotherKindIsRefused(int priority) {
        assertRefused(() -> metadata.priority(priority), "its priority is " + priority + "; allowed is 0 to 9");
    }

    /** The context of an external destination, with these headers. */
    private static Context external(Map<String, String> headers) {
        return new Context(null, null, null, headers, true);
    }

    private static void assertRefused(ThrowingCallable setting, String why) {
        assertThatThrownBy(setting)
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0114: event shop.Placed: ")
                .hasMessageContaining(why);
    }
}
