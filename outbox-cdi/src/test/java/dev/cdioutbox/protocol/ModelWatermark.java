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
record ModelWatermark(int step, int noted, Messages writers, int reached, int height) {
    static final ModelWatermark NONE = new ModelWatermark(0, 0, Messages.NONE, 0, 0);

    @Override
    public int hashCode() {
        return ((step << 4 | noted) << 8 | writers.bits()) << 8 | reached << 4 | height;
    }

    boolean isAbove(int message) {
        return message < height;
    }

    ModelWatermark noting(int sequences) {
        return new ModelWatermark(step + 1, sequences, writers, reached, height);
    }

    ModelWatermark noting(Messages writing) {
        return new ModelWatermark(step + 1, noted, writing, reached, height);
    }

    /** What was noted is right. */
    ModelWatermark believed() {
        return new ModelWatermark(0, 0, Messages.NONE, Math.max(reached, noted), height);
    }

    ModelWatermark raised(int firstRow) {
        return new ModelWatermark(step, noted, writers, reached, Math.max(height, Math.min(reached, firstRow)));
    }
}
