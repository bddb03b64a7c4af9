package dev.cdioutbox.protocol;

/** Spreads small numbers: the usual sum of products makes most states of a model collide. */
final class Hash {
    private Hash() {}

    static int of(int... numbers) {
        long hash = 0;
        for (int number : numbers) {
            hash = (hash ^ number) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return (int) hash;
    }
}
