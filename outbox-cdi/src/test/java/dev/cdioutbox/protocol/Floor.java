package dev.cdioutbox.protocol;

/**
 * What the nodes know of how far the partition is empty. A death may take it; not to know is never wrong.
 *
 * @param step how much is noted that is not known to be right yet: nothing, the one, or both
 * @param noted so many sequences were given out
 * @param writers who was seen to write, and has to end first
 * @param reached of so many sequences no writer is left
 * @param height so many of the first sequences no claim reads any more
 */
record Floor(int step, int noted, Messages writers, int reached, int height) {
    static final Floor NONE = new Floor(0, 0, Messages.NONE, 0, 0);

    @Override
    public int hashCode() {
        return ((step << 4 | noted) << 8 | writers.bits()) << 8 | reached << 4 | height;
    }

    boolean isAbove(int message) {
        return message < height;
    }

    Floor noting(int sequences) {
        return new Floor(step + 1, sequences, writers, reached, height);
    }

    Floor noting(Messages writing) {
        return new Floor(step + 1, noted, writing, reached, height);
    }

    /** What was noted is right. */
    Floor believed() {
        return new Floor(0, 0, Messages.NONE, Math.max(reached, noted), height);
    }

    Floor raised(int firstRow) {
        return new Floor(step, noted, writers, reached, Math.max(height, Math.min(reached, firstRow)));
    }
}
