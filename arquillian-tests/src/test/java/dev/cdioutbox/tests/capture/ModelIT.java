package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The table holds exactly the rows that a model of random transactions predicts, on many threads. */
@Tag("full")
@ExtendWith(ArquillianExtension.class)
class ModelIT {
    private static final int THREADS = 8;
    private static final int PLANS = 60;

    @Inject
    Desk desk;

    @Inject
    Player player;

    private final String key = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.ours("jdbc/counted");
    }

    @Test
    void whatIsStoredIsWhatTheModelSays() {
        long seed = Long.getLong("capture.seed", System.nanoTime());
        Queue<Plan> played = new ConcurrentLinkedQueue<>();
        Queue<Plan> late = new ConcurrentLinkedQueue<>();
        // An EJB method gives the thread a component context; without one a look-up of the Validator fails.
        Together.run(THREADS, thread -> desk.ejb().notSupported(() -> {
            Random random = new Random(seed + thread);
            for (int i = 0; i < PLANS; i++) {
                Plan plan = Plan.random(random, key + "-" + thread + "-" + i, 0);
                played.add(plan);
                player.play(plan, key);
            }
            Plan plan = Plan.random(random, key + "-" + thread + "-late", 0);
            late.add(plan);
            player.timeOut(plan, key);
        }));

        List<Plan> committing = Stream.concat(
                        played.stream().flatMap(Plan::reached),
                        late.stream().flatMap(plan -> plan.reached().skip(1)))
                .filter(Plan::commits)
                .toList();
        List<String> stored = desk.stored().tokens(key);
        assertThat(stored)
                .as("stored, seed %d", seed)
                .containsExactlyInAnyOrderElementsOf(all(committing, Plan::stored));
        assertThat(bookings())
                .as("committed, seed %d", seed)
                .isEqualTo(committing.stream().map(Plan::id).collect(Collectors.toSet()));
        assertThat(player.refused())
                .as("refused, seed %d", seed)
                .containsAll(all(played.stream().flatMap(Plan::reached).toList(), Plan::refused))
                .doesNotContainAnyElementsOf(stored);
        assertThat(player.taken()).as("taken, seed %d", seed).containsAll(stored);
        assertThat(stored).as("the plans are no fun, seed %d", seed).hasSizeGreaterThan(THREADS * PLANS);
        assertThat(player.refused()).hasSizeGreaterThan(PLANS);
    }

    private Set<String> bookings() {
        return Set.copyOf(desk.stored().texts("SELECT id FROM capture_booking WHERE id LIKE ?", key + "-%"));
    }

    private static List<String> all(List<Plan> plans, Function<Plan, Stream<String>> tokens) {
        return plans.stream().flatMap(tokens).toList();
    }
}
