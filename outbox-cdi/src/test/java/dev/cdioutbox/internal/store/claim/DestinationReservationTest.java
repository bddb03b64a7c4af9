package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.FencingToken;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import org.junit.jupiter.api.Test;

/** Guards claims of a whole destination, whose owner stands in the database. */
class DestinationReservationTest extends StoreContract {
    private static final ClaimLimits ONE = limits(1, 500, 1_000_000);

    private final JdbcOutboxStore store = database.open(4);
    private final JdbcOutboxStore otherNode = database.open(4);

    DestinationReservationTest(Database kind) {
        super(kind);
    }

    @Test
    void wholeDestinationHasOneClaim() {
        store.capture().write(numbered(0, 40, 20));

        try (Claim one = whole(store, ONE)) {
            assertThat(one.partitions()).hasSize(1);
            try (Claim other = whole(otherNode, ONE)) {
                assertThat(other.partitions()).isEmpty();
                assertThat(other.foundLocked()).isTrue();
            }
        }
        try (Claim other = whole(otherNode, ONE)) {
            assertThat(other.partitions()).hasSize(1);
        }
    }

    /** Otherwise two claims that meet could each leave the last message to the other. */
    @Test
    void claimThatIsRefusedTheDestinationKeepsNoPartition() {
        store.capture().write(numbered(0, 40, 20));

        Claim one = whole(store, ONE);
        try (Claim refused = whole(otherNode, ONE)) {
            assertThat(refused.partitions()).isEmpty();
            one.close();
            try (Claim next = whole(store, limits(4, 500, 1_000_000))) {
                assertThat(next.partitions()).hasSize(4);
            }
        }
    }

    @Test
    void ownerIsReplacedOnlyByWhoKnowsIt() {
        store.capture().write(numbered(0, 1, 1));
        assertThat(token()).isNull();
        FencingToken one = FencingToken.first().takenOver();
        FencingToken two = one.next();

        assertThat(store.claims().wholeDestination(DESTINATION).replace(null, one))
                .isTrue();
        assertThat(otherNode.claims().wholeDestination(DESTINATION).replace(null, two))
                .isFalse();
        assertThat(token()).isEqualTo(one);
        assertThat(store.claims().wholeDestination(DESTINATION).replace(one, two))
                .isTrue();
        assertThat(otherNode.claims().wholeDestination(DESTINATION).replace(one, one.takenOver()))
                .isFalse();
        assertThat(token()).isEqualTo(two);
    }

    private FencingToken token() {
        DestinationReservation reservation = otherNode.claims().wholeDestination(DESTINATION);
        claim(otherNode, reservation, ONE).close();
        return reservation.token();
    }

    private static Claim whole(JdbcOutboxStore node, ClaimLimits limits) {
        return claim(node, node.claims().wholeDestination(DESTINATION), limits);
    }
}
