package dev.cdioutbox.tests.bench;

import java.util.Arrays;
import java.util.Random;

/** A median with the 95 % interval of the bootstrap. */
record Interval(double median, double low, double high) {
    private static final int RESAMPLES = 10_000;
    /** Any constant: the same samples give the same interval. */
    private static final long SEED = 18;

    /** Returns the median of samples. The interval holds 95 % of the medians of samples that are drawn from them. */
    static Interval of(double... samples) {
        if (samples.length == 0) {
            throw new IllegalArgumentException("no samples");
        }
        Random random = new Random(SEED);
        double[] medians = new double[RESAMPLES];
        double[] drawn = new double[samples.length];
        for (int i = 0; i < RESAMPLES; i++) {
            for (int j = 0; j < drawn.length; j++) {
                drawn[j] = samples[random.nextInt(samples.length)];
            }
            medians[i] = median(drawn);
        }
        Arrays.sort(medians);
        return new Interval(median(samples), medians[RESAMPLES / 40], medians[RESAMPLES - 1 - RESAMPLES / 40]);
    }

    private static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
