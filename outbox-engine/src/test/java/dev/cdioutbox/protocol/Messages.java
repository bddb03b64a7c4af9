package dev.cdioutbox.protocol;

import java.util.stream.IntStream;

/** A set of messages, each known by its place in the order of {@code seq}. */
record Messages(int bits) {
    static final Messages NONE = new Messages(0);

    static Messages of(int message) {
        return new Messages(1 << message);
    }

    boolean has(int message) {
        return (bits & 1 << message) != 0;
    }

    boolean isEmpty() {
        return bits == 0;
    }

    boolean meets(Messages others) {
        return (bits & others.bits) != 0;
    }

    Messages and(Messages others) {
        return new Messages(bits | others.bits);
    }

    Messages without(Messages others) {
        return new Messages(bits & ~others.bits);
    }

    Messages in(Messages others) {
        return new Messages(bits & others.bits);
    }

    Messages first(int most) {
        Messages first = NONE;
        for (int message : stream().limit(most).toArray()) {
            first = first.and(of(message));
        }
        return first;
    }

    IntStream stream() {
        return IntStream.range(0, Integer.SIZE).filter(this::has);
    }
}
