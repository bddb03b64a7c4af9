package dev.cdioutbox.protocol;

import java.util.function.IntConsumer;
import java.util.function.Predicate;

/** All steps that the search has found, for a search backwards. */
final class Edges {
    private final Numbers from = new Numbers();
    private final Numbers to = new Numbers();
    private final Numbers kind = new Numbers();

    void add(int before, int after, Step.Kind how) {
        from.add(before);
        to.add(after);
        kind.add(how.ordinal());
    }

    /** The steps of the wanted kinds, sorted by their target. */
    Backwards backwards(int states, Predicate<Step.Kind> wanted) {
        int[] first = new int[states + 1];
        for (int edge = 0; edge < to.size(); edge++) {
            if (wanted.test(kind(edge))) {
                first[to.get(edge) + 1]++;
            }
        }
        for (int state = 0; state < states; state++) {
            first[state + 1] += first[state];
        }
        int[] before = new int[first[states]];
        int[] next = first.clone();
        for (int edge = 0; edge < to.size(); edge++) {
            if (wanted.test(kind(edge))) {
                before[next[to.get(edge)]++] = from.get(edge);
            }
        }
        return new Backwards(first, before);
    }

    private Step.Kind kind(int edge) {
        return Step.Kind.values()[kind.get(edge)];
    }

    /** No record: the arrays are neither shared nor compared. */
    static final class Backwards {
        private final int[] first;
        private final int[] before;

        private Backwards(int[] first, int[] before) {
            this.first = first;
            this.before = before;
        }

        void from(int state, IntConsumer predecessors) {
            for (int edge = first[state]; edge < first[state + 1]; edge++) {
                predecessors.accept(before[edge]);
            }
        }
    }
}
