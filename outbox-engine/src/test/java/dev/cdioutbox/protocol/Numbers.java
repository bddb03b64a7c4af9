package dev.cdioutbox.protocol;

import java.util.Arrays;

/** A list of ints without boxing, which needs four bytes for each. */
final class Numbers {
    private int[] values = new int[1024];
    private int size;

    void add(int value) {
        if (size == values.length) {
            values = Arrays.copyOf(values, 2 * size);
        }
        values[size++] = value;
    }

    int get(int place) {
        return values[place];
    }

    int size() {
        return size;
    }
}
