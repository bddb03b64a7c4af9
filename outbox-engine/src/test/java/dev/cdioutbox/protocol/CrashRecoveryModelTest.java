package dev.cdioutbox.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Guards that a message that crashes its process is found, and that other messages are not abandoned ({@code
 * docs/decisions/0010}). The test tries the steps in every order, with two servers and three messages. One message
 * crashes each process that sends it. Servers also crash for other reasons, stop in order, and start again. The model
 * of the protocol covers the rest: one server has the claim, and a delivery is all or nothing.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrashRecoveryModelTest {
    private static final int CRASHING_MESSAGE = 1;
    private static final int ALL = 7;
    /** The number of counted sends without an end after which a message is abandoned. */
    private static final int MAX_COUNT = 2;
    /** One crash with a batch, and one for each counted send. */
    private static final int MAX_CRASHES = 1 + MAX_COUNT;

    private enum Rule {
        COUNTED,
        UNCOUNTED,
        /** As {@link #COUNTED}, but an orderly stop during the recovery deletes the node's row. */
        FORGOTTEN,
        /** As {@link #COUNTED}, but a claim that finds nothing, because something keeps the messages, ends the recovery. */
        IN_VAIN,
        /** Recovery counts the messages of a batch and sends them together. */
        BATCH
    }

    @Test
    void onlyTheCrashingMessageIsAbandonedWhereNoProcessIsKilledFromOutside() {
        Map<World, List<World>> graph = graph(Rule.COUNTED, 0);

        assertThat(graph.keySet())
                .allMatch(world -> (world.abandoned & ~CRASHING_MESSAGE) == 0)
                .allMatch(world -> world.places.stream().allMatch(place -> place.crashes <= MAX_CRASHES));
        assertThat(withoutAWay(graph)).isEmpty();
    }

    @Test
    void oneKillFromOutsideAbandonsNoInnocentMessage() {
        Map<World, List<World>> graph = graph(Rule.COUNTED, MAX_COUNT - 1);

        assertThat(graph.keySet()).allMatch(world -> (world.abandoned & ~CRASHING_MESSAGE) == 0);
        assertThat(withoutAWay(graph)).isEmpty();
    }

    @Test
    void onlyAsManyKillsFromOutsideAbandonAnInnocentMessage() {
        Map<World, List<World>> graph = graph(Rule.COUNTED, MAX_COUNT);

        assertThat(graph.keySet())
                .allMatch(world -> (world.abandoned & ~CRASHING_MESSAGE) == 0 || world.kills == 0)
                .allMatch(world -> Integer.bitCount(world.abandoned & ~CRASHING_MESSAGE) <= 1);
        assertThat(withoutAWay(graph)).isEmpty();
        assertThat(graph).as("states").hasSizeGreaterThan(1_000);
    }

    @Test
    void withoutTheCountItCrashesForEver() {
        assertThat(withoutAWay(graph(Rule.UNCOUNTED, 0))).isNotEmpty();
    }

    @Test
    void stopInOrderThatForgetsTheCrashBeforeLetsItCrashMoreOften() {
        assertThat(graph(Rule.FORGOTTEN, 0).keySet())
                .anyMatch(world -> world.places.stream().anyMatch(place -> place.crashes > MAX_CRASHES));
    }

    @Test
    void lookInVainThatEndsTheRecoveryLetsItCrashMoreOften() {
        assertThat(graph(Rule.IN_VAIN, 0).keySet())
                .anyMatch(world -> world.places.stream().anyMatch(place -> place.crashes > MAX_CRASHES));
    }

    @Test
    void countOfAWholeBatchAbandonsInnocentMessages() {
        assertThat(graph(Rule.BATCH, 0).keySet()).anyMatch(world -> (world.abandoned & ~CRASHING_MESSAGE) != 0);
    }

    /** All reachable worlds, each with its successors. */
    private static Map<World, List<World>> graph(Rule rule, int kills) {
        Map<World, List<World>> graph = new HashMap<>();
        Deque<World> left = new ArrayDeque<>();
        left.add(new World(List.of(Place.NEW, Place.NEW), ALL, 0, 0, kills));
        while (!left.isEmpty()) {
            World world = left.remove();
            if (!graph.containsKey(world)) {
                List<World> next = world.next(rule);
                graph.put(world, next);
                left.addAll(next);
            }
        }
        return graph;
    }

    /** The worlds from which no steps lead to an end, where each message is sent or abandoned. */
    private static Set<World> withoutAWay(Map<World, List<World>> graph) {
        Map<World, List<World>> before = new HashMap<>();
        graph.forEach((world, next) -> next.forEach(
                n -> before.computeIfAbsent(n, any -> new ArrayList<>()).add(world)));
        Predicate<World> ended = world -> world.waiting == 0;
        Deque<World> left =
                new ArrayDeque<>(graph.keySet().stream().filter(ended).toList());
        Set<World> reached = new HashSet<>(left);
        while (!left.isEmpty()) {
            for (World world : before.getOrDefault(left.remove(), List.of())) {
                if (reached.add(world)) {
                    left.add(world);
                }
            }
        }
        Set<World> without = new HashSet<>(graph.keySet());
        without.removeAll(reached);
        return without;
    }

    /**
     * A server. Messages are bits.
     *
     * @param recovers whether the server sends messages one by one
     * @param row whether the node row of a crashed process exists
     * @param crashes how often a message has crashed this server
     */
    private record Place(boolean up, boolean recovers, boolean row, int inFlight, int crashes) {
        static final Place NEW = new Place(false, false, false, 0, 0);

        /** @param seesOther whether the server finds the row of the other one, silent for long enough */
        Place started(boolean seesOther) {
            return new Place(true, row || seesOther, false, 0, crashes);
        }

        Place stopped(Rule rule) {
            return new Place(false, false, recovers && rule != Rule.FORGOTTEN, 0, crashes);
        }

        Place recovered() {
            return new Place(true, false, row, 0, crashes);
        }

        Place sends(int messages) {
            return new Place(true, recovers, row, messages, crashes);
        }

        Place crashed(boolean byMessage) {
            return new Place(false, false, true, 0, Math.min(MAX_CRASHES + 1, crashes + (byMessage ? 1 : 0)));
        }
    }

    /** @param counts two bits for each message */
    private record World(List<Place> places, int waiting, int abandoned, int counts, int kills) {

        List<World> next(Rule rule) {
            List<World> next = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Place place = places.get(i);
                Place other = places.get(1 - i);
                if (!place.up) {
                    next.add(with(i, place.started(false)));
                    if (!other.up && other.row) {
                        next.add(with(i, place.started(true)));
                    }
                } else if (place.inFlight == 0) {
                    next.add(with(i, place.stopped(rule)));
                    if (rule == Rule.IN_VAIN) {
                        next.add(with(i, place.recovered()));
                    }
                    if (kills > 0) {
                        next.add(killed(i, waiting, counts));
                    }
                    if (other.inFlight == 0 && waiting != 0) {
                        next.add(claim(i, place, rule));
                    }
                } else {
                    end(i, place, next);
                }
            }
            return next;
        }

        private World claim(int i, Place place, Rule rule) {
            int judged = 0;
            // Also a server that knows of no crash.
            for (int message = 0; message < 3; message++) {
                judged |= count(message) >= MAX_COUNT ? 1 << message & waiting : 0;
            }
            if (judged != 0) {
                return new World(places, waiting & ~judged, abandoned | judged, counts, kills);
            }
            int suspects = place.recovers ? waiting : counted() & waiting;
            boolean singly = suspects != 0 && rule != Rule.BATCH;
            int messages = singly ? Integer.lowestOneBit(suspects) : waiting;
            int counted = counts;
            for (int message = 0; message < 3; message++) {
                boolean isCounted = suspects != 0 && rule != Rule.UNCOUNTED && (messages & 1 << message) != 0;
                counted += isCounted ? 1 << 2 * message : 0;
            }
            return new World(with(i, place.sends(messages)).places, waiting, abandoned, counted, kills);
        }

        /** The messages with a count. */
        private int counted() {
            int counted = 0;
            for (int message = 0; message < 3; message++) {
                counted |= count(message) > 0 ? 1 << message : 0;
            }
            return counted;
        }

        private int count(int message) {
            return counts >> 2 * message & 3;
        }

        private void end(int i, Place place, List<World> next) {
            boolean crashes = (place.inFlight & CRASHING_MESSAGE) != 0;
            int sent = waiting & ~place.inFlight;
            int cleared = counts;
            for (int message = 0; message < 3; message++) {
                cleared &= (place.inFlight & 1 << message) != 0 ? ~(3 << 2 * message) : ~0;
            }
            next.add(
                    crashes
                            ? with(i, place.crashed(true))
                            : new World(with(i, place.sends(0)).places, sent, abandoned, cleared, kills));
            if (kills > 0) {
                next.add(killed(i, waiting, counts));
                if (!crashes) {
                    next.add(killed(i, sent, cleared));
                }
            }
        }

        private World killed(int i, int waiting, int counts) {
            return new World(with(i, places.get(i).crashed(false)).places, waiting, abandoned, counts, kills - 1);
        }

        private World with(int i, Place place) {
            return new World(
                    i == 0 ? List.of(place, places.get(1)) : List.of(places.get(0), place),
                    waiting,
                    abandoned,
                    counts,
                    kills);
        }
    }
}
