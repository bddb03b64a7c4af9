package dev.cdioutbox.protocol;

/**
 * The watermarks that the nodes know. The model does not lose them in a crash: a claim without a watermark only reads
 * more.
 *
 * @param step how many parts of the next commit watermark are noted: none, one, or both
 * @param noted the noted number of assigned sequences
 * @param writers the noted transactions in flight, which have to end first
 * @param reached the commit watermark: no transaction below this number of sequences is in flight
 * @param height the read watermark: no claim reads this number of first sequences
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

    /** Adopts the noted sequence as the commit watermark. */
    ModelWatermark believed() {
        return new ModelWatermark(0, 0, Messages.NONE, Math.max(reached, noted), height);
    }

    ModelWatermark raised(int firstRow) {
        return new ModelWatermark(step, noted, writers, reached, Math.max(height, Math.min(reached, firstRow)));
    }
}
