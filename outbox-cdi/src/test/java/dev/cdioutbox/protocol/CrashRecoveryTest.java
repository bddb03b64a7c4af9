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
 * Decision 14 in every order in which its steps can happen: two servers and three messages, one of which kills whoever sends it.
 * Servers are killed from outside too, stop in order, and come back. What the other model says is taken for granted: a claim is
 * one server's, and a delivery is all or nothing.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrashRecoveryTest {
    private static final int CRASHING_MESSAGE = 1;
    private static final int ALL = 7;

    /** How a server tells those after it what it sends. */
    private enum Note {
        ALONE,
        NOTHING,
        /** As the first, but whoever stops in order forgets those who died before him. */
        FORGOTTEN,
        /** All of a batch. */
        BATCH
    }

    @Test
    void onlyTheCrashingMessageIsAbandonedWhereNoProcessIsKilledFromOutside() {
        Map<World, List<World>> graph = graph(Note.ALONE, 0);

        assertThat(graph.keySet())
                .allMatch(world -> (world.abandoned & ~CRASHING_MESSAGE) == 0)
                .allMatch(world -> world.places.stream().allMatch(place -> place.deaths <= 2));
        assertThat(withoutAWay(graph)).isEmpty();
    }

    @Test
    void oneKillFromOutsideAbandonsAnInnocentMessageOnlyAfterAnotherCrash() {
        Map<World, List<World>> graph = graph(Note.ALONE, 2);

        assertThat(graph.keySet())
                .as("innocent ones cost two deaths, the second one from outside")
                .allMatch(world -> (world.abandoned & ~CRASHING_MESSAGE) == 0
                        || world.kills < 2
                                && world.places.stream()
                                                .mapToInt(place -> place.deaths + place.killed)
                                                .sum()
                                        >= 2)
                .as("at most one for each such kill")
                .allMatch(world -> Integer.bitCount(world.abandoned & ~CRASHING_MESSAGE) <= 2 - world.kills);
        assertThat(withoutAWay(graph)).isEmpty();
        assertThat(graph).as("states").hasSizeGreaterThan(2_000);
    }

    @Test
    void withoutTheNoteItKillsForEver() {
        assertThat(withoutAWay(graph(Note.NOTHING, 0))).isNotEmpty();
    }

    @Test
    void stopInOrderThatForgetsTheDeathBeforeLetsItKillMoreOften() {
        assertThat(graph(Note.FORGOTTEN, 0).keySet())
                .anyMatch(world -> world.places.stream().anyMatch(place -> place.deaths > 2));
    }

    @Test
    void recordOfAWholeBatchAbandonsInnocentMessages() {
        assertThat(graph(Note.BATCH, 0).keySet()).anyMatch(world -> (world.abandoned & ~CRASHING_MESSAGE) != 0);
    }

    /** All worlds that can be reached, each with those that can follow. */
    private static Map<World, List<World>> graph(Note note, int kills) {
        Map<World, List<World>> graph = new HashMap<>();
        Deque<World> left = new ArrayDeque<>();
        left.add(new World(List.of(Place.NEW, Place.NEW), ALL, 0, kills));
        while (!left.isEmpty()) {
            World world = left.remove();
            if (!graph.containsKey(world)) {
                List<World> next = world.next(note);
                graph.put(world, next);
                left.addAll(next);
            }
        }
        return graph;
    }

    /** From where nothing leads to an end: all sent but what is set aside. */
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
     * @param row whether the row of a process is there that died
     * @param traces what the rows of the dead say
     * @param sending what its own row says
     * @param judges what it has read in the rows of the dead
     * @param deaths how often it died of a message, up to three times
     * @param killed how often from outside
     */
    private record Place(
            boolean up,
            boolean careful,
            boolean row,
            int traces,
            int sending,
            int judges,
            int inFlight,
            int deaths,
            int killed) {
        static final Place NEW = new Place(false, false, false, 0, 0, 0, 0, 0, 0);

        /** With what it finds out of the other one: its silence tells, or it is too early for that. */
        Place started(int waiting, boolean otherDead, int ofOther) {
            int known = (traces | ofOther) & waiting;
            return new Place(
                    true, row || traces != 0 || otherDead, false, traces & waiting, 0, known, 0, deaths, killed);
        }

        Place stopped() {
            return new Place(false, false, row || careful, traces, 0, 0, 0, deaths, killed);
        }

        /** As if nobody had died before. */
        Place stoppedForgetfully() {
            return new Place(false, false, row, traces, 0, 0, 0, deaths, killed);
        }

        Place sends(int messages, int noted) {
            return new Place(true, careful, row, traces, noted, judges, messages, deaths, killed);
        }

        Place sent() {
            return new Place(true, careful, row, traces, 0, judges, 0, deaths, killed);
        }

        Place judged() {
            return new Place(true, careful, row, 0, sending, 0, 0, deaths, killed);
        }

        Place forgotten(int judged) {
            return new Place(up, careful, row, traces & ~judged, sending, judges & ~judged, inFlight, deaths, killed);
        }

        Place died(boolean ofItself) {
            int more = ofItself ? 1 : 0;
            return new Place(
                    false, false, true, traces | sending, 0, 0, 0, Math.min(3, deaths + more), killed + 1 - more);
        }
    }

    private record World(List<Place> places, int waiting, int abandoned, int kills) {

        List<World> next(Note note) {
            List<World> next = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Place place = places.get(i);
                Place other = places.get(1 - i);
                if (!place.up) {
                    next.add(with(i, place.started(waiting, false, 0)));
                    if (!other.up && (other.row || other.traces != 0)) {
                        next.add(with(i, place.started(waiting, true, other.traces)));
                    }
                } else if (place.inFlight == 0) {
                    next.add(with(i, note == Note.FORGOTTEN ? place.stoppedForgetfully() : place.stopped()));
                    if (kills > 0) {
                        next.add(new World(with(i, place.died(false)).places, waiting, abandoned, kills - 1));
                    }
                    if (other.inFlight == 0 && waiting != 0) {
                        next.add(claim(i, place, note));
                    }
                } else {
                    end(i, place, next);
                }
            }
            return next;
        }

        private World claim(int i, Place place, Note note) {
            int judged = place.judges & waiting;
            if (judged != 0) {
                World done = with(i, place.judged());
                List<Place> both = List.of(
                        done.places.get(0).forgotten(judged), done.places.get(1).forgotten(judged));
                return new World(both, waiting & ~judged, abandoned | judged, kills);
            }
            int messages = place.careful && note != Note.BATCH ? Integer.lowestOneBit(waiting) : waiting;
            return with(i, place.sends(messages, place.careful && note != Note.NOTHING ? messages : 0));
        }

        private void end(int i, Place place, List<World> next) {
            int sent = waiting & ~place.inFlight;
            if ((place.inFlight & CRASHING_MESSAGE) != 0) {
                next.add(with(i, place.died(true)));
            } else {
                next.add(new World(with(i, place.sent()).places, sent, abandoned, kills));
            }
            if (kills > 0) {
                List<Place> dead = with(i, place.died(false)).places;
                next.add(new World(dead, waiting, abandoned, kills - 1));
                if ((place.inFlight & CRASHING_MESSAGE) == 0) {
                    next.add(new World(dead, sent, abandoned, kills - 1));
                }
            }
        }

        private World with(int i, Place place) {
            return new World(
                    i == 0 ? List.of(place, places.get(1)) : List.of(places.get(0), place), waiting, abandoned, kills);
        }
    }
}
