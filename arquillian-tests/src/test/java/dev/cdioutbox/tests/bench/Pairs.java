package dev.cdioutbox.tests.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The figures of two things that were measured side by side. The machine is noisy, and its speed changes from minute to
 * minute. So the blocks alternate (A B, B A, A B, …), and only the ratio of the two blocks of a pair counts.
 */
record Pairs(List<Pair> pairs) {
    Pairs {
        pairs = List.copyOf(pairs);
    }

    /** The figures of two blocks, one after the other. */
    record Pair(double ours, double other) {
        Pair {
            if (!(ours > 0 && other > 0)) {
                throw new IllegalArgumentException("a block measured nothing: " + ours + ", " + other);
            }
        }

        double ratio() {
            return ours / other;
        }
    }

    /** The pairs of the figures of two blocks, without those of the warm-up. */
    static Pairs afterWarmUp(List<Double> ours, List<Double> others) {
        return new Pairs(IntStream.range(1, ours.size())
                .mapToObj(i -> new Pair(ours.get(i), others.get(i)))
                .toList());
    }

    /** Measures two things in pairs. For the noise floor, pass the same block twice. */
    static Pairs measure(Form form, Block ours, Block other) throws Exception {
        return measure(form, ours, List.of(other)).get(0);
    }

    /**
     * Measures one thing against several others. A round runs a block of each; the next round has the reverse order.
     *
     * @return the pairs with each of the others, in their order
     */
    static List<Pairs> measure(Form form, Block ours, List<Block> others) throws Exception {
        List<Block> blocks = new ArrayList<>();
        blocks.add(ours);
        blocks.addAll(others);
        for (Block block : blocks) {
            block.run(form.warmUp());
        }
        List<List<Pair>> pairs = new ArrayList<>();
        others.forEach(other -> pairs.add(new ArrayList<>()));
        for (int round = 0; round < form.pairs(); round++) {
            double[] figures = new double[blocks.size()];
            for (int i = 0; i < figures.length; i++) {
                int next = round % 2 == 0 ? i : figures.length - 1 - i;
                figures[next] = blocks.get(next).run(form.block());
            }
            for (int i = 1; i < figures.length; i++) {
                pairs.get(i - 1).add(new Pair(figures[0], figures[i]));
            }
        }
        return pairs.stream().map(Pairs::new).toList();
    }

    /** Returns the pairs of two of the others, which were measured in the same rounds: this one's over the base's. */
    Pairs ofOthers(Pairs base) {
        List<Pair> others = new ArrayList<>();
        for (int round = 0; round < pairs.size(); round++) {
            others.add(new Pair(pairs.get(round).other(), base.pairs.get(round).other()));
        }
        return new Pairs(others);
    }

    /** Returns the median of the ratios of the pairs, with its interval. */
    Interval ratio() {
        return Interval.of(pairs.stream().mapToDouble(Pair::ratio).toArray());
    }
}
