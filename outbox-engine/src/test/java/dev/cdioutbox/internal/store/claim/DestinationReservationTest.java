package dev.cdioutbox.internal.store.claim;

import static dev.cdioutbox.internal.store.TestMessages.DESTINATION;
import static dev.cdioutbox.internal.store.TestMessages.claim;
import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.limits;
import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.FencingToken;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.Test;

/** Guards claims of a whole destination, whose owner stands in the database. */
class DestinationReservationTest extends StoreContract {
    private static final ClaimLimits ONE = limits(1, 500, 1_000_000);
    private static final ClaimLimits ALL = limits(4, 500, 1_000_000);

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

        assertThat(store.claims()
                        .wholeDestination(DESTINATION, TestMessages.NOBODY)
                        .replace(null, one))
                .isTrue();
        assertThat(otherNode
                        .claims()
                        .wholeDestination(DESTINATION, TestMessages.NOBODY)
                        .replace(null, two))
                .isFalse();
        assertThat(token()).isEqualTo(one);
        assertThat(store.claims()
                        .wholeDestination(DESTINATION, TestMessages.NOBODY)
                        .replace(one, two))
                .isTrue();
        assertThat(otherNode
                        .claims()
                        .wholeDestination(DESTINATION, TestMessages.NOBODY)
                        .replace(one, one.takenOver()))
                .isFalse();
        assertThat(token()).isEqualTo(two);
    }

    @Test
    void ownerIsToldWhatTheClaimFinds() {
        Told told = new Told();
        claim(store, store.claims().wholeDestination(DESTINATION, told), ONE.within(new PartitionRange(1, 1)))
                .close();
        assertThat(told).as("of a part of the partitions").isEmpty();
        claim(store, store.claims().wholeDestination(DESTINATION, told), ONE).close();
        assertThat(told).containsExactly("nothing");

        FencingToken token = FencingToken.first().takenOver();
        store.claims().wholeDestination(DESTINATION, TestMessages.NOBODY).replace(null, token);
        store.capture().write(numbered(0, 1, 1));
        try (Claim one = claim(store, store.claims().wholeDestination(DESTINATION, told), ONE);
                Claim refused = claim(otherNode, otherNode.claims().wholeDestination(DESTINATION, told), ONE)) {
            assertThat(told).containsExactly("nothing", "owned " + token.text(), "elsewhere " + token.text());
            assertThat(one.isEmpty()).isFalse();
            assertThat(refused.partitions()).isEmpty();
        }
    }

    /** Otherwise a claim that takes the destination over would have to read twice, or would send again what is settled. */
    @Test
    void messagesAreReadAfterTheOwnerHasSettledSome() {
        store.capture().write(keyed("settled", "waiting"));
        Owner settling = new Told() {
            @Override
            public void owned(FencingToken token) {
                store.settlements().settleSent(sent(List.of(database.sequence("settled"))));
            }
        };

        try (Claim claim = claim(store, store.claims().wholeDestination(DESTINATION, settling), ALL)) {
            assertThat(texts(claim.messages())).containsExactly("waiting");
        }
    }

    @Test
    void failureOfTheOwnerEndsTheClaim() {
        store.capture().write(numbered(0, 1, 1));
        IOException away = new IOException("the broker is away");
        Reservation failing = store.claims().wholeDestination(DESTINATION, new Told() {
            @Override
            public void owned(FencingToken token) throws IOException {
                throw away;
            }
        });

        assertThatThrownBy(() -> store.claims().claim(failing, 0, ALL, rows -> Set.copyOf(rows)))
                .isSameAs(away);

        try (Claim next = whole(otherNode, ALL)) {
            assertThat(next.isEmpty()).isFalse();
        }
    }

    /** What an owner was told. */
    private static class Told extends ArrayList<String> implements Owner {
        private static final long serialVersionUID = 1L;

        @Override
        public void owned(FencingToken token) throws IOException {
            add("owned " + token.text());
        }

        @Override
        public void ownedElsewhere(FencingToken token) {
            add("elsewhere " + token.text());
        }

        @Override
        public void nothingWaits() {
            add("nothing");
        }
    }

    private static final class TokenSeen extends Told {
        private static final long serialVersionUID = 1L;
        private transient FencingToken token;

        @Override
        public void owned(FencingToken known) {
            token = known;
        }
    }

    private FencingToken token() {
        TokenSeen seen = new TokenSeen();
        claim(otherNode, otherNode.claims().wholeDestination(DESTINATION, seen), ONE)
                .close();
        return seen.token;
    }

    private static Claim whole(JdbcOutboxStore node, ClaimLimits limits) {
        return claim(node, node.claims().wholeDestination(DESTINATION, TestMessages.NOBODY), limits);
    }
}
