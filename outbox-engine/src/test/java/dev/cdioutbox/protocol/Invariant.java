package dev.cdioutbox.protocol;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

import dev.cdioutbox.protocol.Faults.Fault;

/** The promises that hold in every state. The last two are about the states that can still be reached. */
enum Invariant {
    NOTHING_LOST {
        @Override
        boolean holds(World world, State state) {
            return IntStream.range(0, state.rows().size())
                    .filter(m ->
                            state.row(m) == Row.PUBLISHED && !state.broker().contains(m))
                    .allMatch(m -> isOnItsWay(state, m));
        }
    },
    NO_GHOST {
        @Override
        boolean holds(World world, State state) {
            return state.broker().stream()
                    .map(state::row)
                    .noneMatch(row -> row == Row.UNCOMMITTED || row == Row.ROLLED_BACK);
        }
    },
    /** With at-least-once, each crash and each lost claim may cost one copy. */
    NO_DUPLICATE {
        @Override
        boolean holds(World world, State state) {
            int most = world.protocol().exactlyOnce() ? 1 : 1 + mishaps(world, state);
            return IntStream.range(0, state.rows().size())
                    .allMatch(m -> Collections.frequency(state.broker(), m) <= most);
        }
    },
    /**
     * Of two messages with one key, the one that committed first is in the broker first, unless it was discarded and
     * never comes. Later copies do not count.
     */
    ORDER {
        @Override
        boolean holds(World world, State state) {
            int[] committed =
                    state.committed().stream().mapToInt(Integer::intValue).toArray();
            for (int i = 0; i < committed.length; i++) {
                for (int j = i + 1; j < committed.length; j++) {
                    if (world.key(committed[i]) == world.key(committed[j])
                            && isAhead(state, committed[j], committed[i])) {
                        return false;
                    }
                }
            }
            return true;
        }
    },
    /** As {@link #ORDER}, and no copy comes after a later message either. At-least-once does not promise this. */
    COPIES_IN_ORDER {
        @Override
        boolean holds(World world, State state) {
            List<Integer> broker = state.broker();
            for (int i = 0; i < broker.size(); i++) {
                for (int j = i + 1; j < broker.size(); j++) {
                    if (broker.get(j) < broker.get(i) && world.key(broker.get(i)) == world.key(broker.get(j))) {
                        return false;
                    }
                }
            }
            return true;
        }
    },
    SETTLED_IS_FINAL {
        @Override
        boolean holds(World world, State state) {
            return !state.rows().contains(Row.REOPENED);
        }
    },
    /** From each state, steps lead to a state in which all rows are settled and no delivery is in doubt. */
    PROGRESS {
        @Override
        boolean isReached(World world, State state) {
            return state.inDoubt().isEmpty() && state.rows().stream().allMatch(Row::isSettled);
        }
    },
    /**
     * From each state, steps without recovery lead to a state in which all rows are settled, except rows of keys in
     * doubt.
     */
    DOUBT_HOLDS_ITS_KEYS_ONLY {
        @Override
        boolean isReached(World world, State state) {
            Messages held = world.withTheirKeys(state.lockedInDoubt());
            return IntStream.range(0, state.rows().size())
                    .allMatch(m -> held.has(m) || state.row(m).isSettled());
        }
    };

    boolean holds(World world, State state) {
        return true;
    }

    boolean isReached(World world, State state) {
        return true;
    }

    private static boolean isOnItsWay(State state, int message) {
        return state.nodes().stream()
                        .map(Node::delivery)
                        .anyMatch(d -> d.sent().has(message) && d.broker() != Branch.COMMITTED)
                || state.inDoubt().stream()
                        .anyMatch(d -> d.sent().has(message) && d.broker() == Branch.PREPARED && d.logged());
    }

    private static boolean isAhead(State state, int message, int other) {
        int place = state.broker().indexOf(message);
        int othersPlace = state.broker().indexOf(other);
        boolean neverComes = othersPlace < 0 && state.row(other) == Row.DISCARDED;
        return place >= 0 && !neverComes && (othersPlace < 0 || othersPlace > place);
    }

    private static int mishaps(World world, State state) {
        return happened(world, state, Fault.DEATH) + happened(world, state, Fault.LOST_CLAIM);
    }

    private static int happened(World world, State state, Fault fault) {
        return world.faults().count(fault) - state.left().count(fault);
    }
}
