package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.HolderToken;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;
import org.junit.jupiter.api.Test;

/** Guards claims of a whole destination, whose holder stands in the database. */
class HolderTest extends StoreContract {
    private static final ClaimLimits WHOLE = limits(1, 500, 1_000_000).ofWhole(true);

    private final JdbcOutboxStore store = database.open(4);
    private final JdbcOutboxStore otherNode = database.open(4);

    HolderTest(Database kind) {
        super(kind);
    }

    @Test
    void wholeDestinationHasOneClaim() {
        store.capture().write(numbered(0, 40, 20));

        try (Claim one = claim(store, WHOLE)) {
            assertThat(one.partitions()).hasSize(1);
            try (Claim other = claim(otherNode, WHOLE)) {
                assertThat(other.partitions()).isEmpty();
                assertThat(other.foundLocked()).isTrue();
            }
        }
        try (Claim other = claim(otherNode, WHOLE)) {
            assertThat(other.partitions()).hasSize(1);
        }
    }

    /** Otherwise two claims that meet could each leave the last message to the other. */
    @Test
    void claimThatIsRefusedTheDestinationKeepsNoPartition() {
        store.capture().write(numbered(0, 40, 20));

        Claim one = claim(store, WHOLE);
        try (Claim refused = claim(otherNode, WHOLE)) {
            assertThat(refused.partitions()).isEmpty();
            one.close();
            try (Claim next = claim(store, limits(4, 500, 1_000_000).ofWhole(true))) {
                assertThat(next.partitions()).hasSize(4);
            }
        }
    }

    @Test
    void holderIsReplacedOnlyByWhoKnowsIt() {
        store.capture().write(numbered(0, 1, 1));
        assertThat(holder()).isNull();
        HolderToken one = HolderToken.first().heldAnew();
        HolderToken two = one.next();

        assertThat(store.holders().replace(DESTINATION, null, one)).isTrue();
        assertThat(otherNode.holders().replace(DESTINATION, null, two)).isFalse();
        assertThat(holder()).isEqualTo(one);
        assertThat(store.holders().replace(DESTINATION, one, two)).isTrue();
        assertThat(otherNode.holders().replace(DESTINATION, one, one.heldAnew()))
                .isFalse();
        assertThat(holder()).isEqualTo(two);
    }

    private HolderToken holder() {
        try (Claim claim = claim(otherNode, WHOLE)) {
            return claim.holder();
        }
    }
}
