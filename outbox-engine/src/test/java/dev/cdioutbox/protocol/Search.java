package dev.cdioutbox.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A search through all states of a world, breadth first, so that it finds a shortest way to a violation. */
final class Search {
    /** A search that does not end fails here, before the memory is exhausted. */
    private static final int MOST_STATES = 3_000_000;

    private final World world;
    private final Set<Invariant> invariants;
    private final Map<State, Integer> numbers = new HashMap<>();
    private final List<State> states = new ArrayList<>();
    private final Edges edges = new Edges();
    private final Numbers cameFrom = new Numbers();

    private Search(World world, Set<Invariant> invariants) {
        this.world = world;
        this.invariants = invariants;
    }

    /** @param alsoAsked invariants that only some protocols promise */
    static Result of(World world, Invariant... alsoAsked) {
        Set<Invariant> asked = EnumSet.complementOf(EnumSet.of(Invariant.COPIES_IN_ORDER));
        asked.addAll(List.of(alsoAsked));
        return new Search(world, asked).run();
    }

    private Result run() {
        add(world.initial(), 0);
        for (int number = 0; number < states.size(); number++) {
            for (Invariant invariant : invariants) {
                if (!invariant.holds(world, states.get(number))) {
                    return violated(invariant, number);
                }
            }
            int from = number;
            world.steps(states.get(number), step -> edges.add(from, add(step.next(), from), step.kind()));
        }
        for (Invariant invariant : List.of(Invariant.PROGRESS, Invariant.DOUBT_HOLDS_ITS_KEYS_ONLY)) {
            int stuck = invariants.contains(invariant) ? stuck(invariant) : -1;
            if (stuck >= 0) {
                return violated(invariant, stuck);
            }
        }
        return new Result(states.size(), null, List.of());
    }

    private int add(State state, int from) {
        Integer known = numbers.putIfAbsent(state, states.size());
        if (known != null) {
            return known;
        }
        if (states.size() == MOST_STATES) {
            throw new IllegalStateException("more than " + MOST_STATES + " states: give the world fewer faults");
        }
        states.add(state);
        cameFrom.add(from);
        return states.size() - 1;
    }

    /**
     * The first state from which no way leads to the goal of the invariant, or -1. The way must not depend on a fault.
     */
    private int stuck(Invariant invariant) {
        boolean recovery = invariant == Invariant.PROGRESS;
        BitSet reaching = new BitSet(states.size());
        Deque<Integer> open = new ArrayDeque<>();
        for (int number = 0; number < states.size(); number++) {
            if (invariant.isReached(world, states.get(number))) {
                reaching.set(number);
                open.add(number);
            }
        }
        Edges.Backwards backwards = edges.backwards(
                states.size(), kind -> kind == Step.Kind.NORMAL || (recovery && kind == Step.Kind.RECOVERY));
        while (!open.isEmpty()) {
            backwards.from(open.remove(), before -> {
                if (!reaching.get(before)) {
                    reaching.set(before);
                    open.add(before);
                }
            });
        }
        int stuck = reaching.nextClearBit(0);
        return stuck < states.size() ? stuck : -1;
    }

    private Result violated(Invariant invariant, int number) {
        List<String> trace = new ArrayList<>();
        for (int to = number; to != 0; to = cameFrom.get(to)) {
            trace.add(words(states.get(cameFrom.get(to)), states.get(to)));
        }
        Collections.reverse(trace);
        return new Result(states.size(), invariant, trace);
    }

    private String words(State from, State to) {
        List<String> words = new ArrayList<>();
        world.steps(from, step -> {
            if (step.next().equals(to)) {
                words.add(step.words().get());
            }
        });
        return words.get(0);
    }

    /**
     * The result of a search.
     *
     * @param states the number of states found
     * @param violated the invariant that does not hold, or null
     * @param trace a shortest way to the violation
     */
    record Result(int states, Invariant violated, List<String> trace) {

        @Override
        public String toString() {
            return violated == null
                    ? states + " states, no violation"
                    : violated + " after " + states + " states:\n  " + String.join("\n  ", trace);
        }
    }
}
