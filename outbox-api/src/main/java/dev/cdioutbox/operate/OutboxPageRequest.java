package dev.cdioutbox.operate;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Says where among the messages that match an {@link OutboxFilter} an operation begins and ends, and how many it takes at
 * most. A list takes the newest messages of this range, the newest first; a change takes the oldest ones.
 *
 * <pre>{@code
 * OutboxPageRequest next = OutboxPageRequest.of(50);
 * while (next != null) {
 *     OutboxPage page = outbox.page(OutboxFilter.all().withTenantId("acme"), next);
 *     page.messages().forEach(this::show);
 *     next = page.next();
 * }
 * }</pre>
 *
 * <p>Immutable and thread-safe; two requests with the same values are equal.
 */
public final class OutboxPageRequest {

    /** The highest limit: the number of messages that one call finds or changes. */
    public static final int MAX_LIMIT = 1000;

    private final int limit;
    private final @Nullable Long after;
    private final @Nullable Long before;

    private OutboxPageRequest(int limit, @Nullable Long after, @Nullable Long before) {
        this.limit = limit;
        this.after = after;
        this.before = before;
    }

    /**
     * The first messages, wherever they are.
     *
     * @param limit the highest number of messages, from 1 to {@value #MAX_LIMIT}
     * @return the request; never null
     * @throws IllegalArgumentException if the limit is out of range
     */
    public static OutboxPageRequest of(int limit) {
        if (limit < 1 || limit > MAX_LIMIT) {
            throw new IllegalArgumentException("limit is " + limit + "; allowed is 1 to " + MAX_LIMIT);
        }
        return new OutboxPageRequest(limit, null, null);
    }

    /**
     * One message only, even if the outbox cannot read it ({@link OutboxPage.Unreadable}).
     *
     * @param sequence the row's {@code seq}
     * @return the request; never null
     */
    public static OutboxPageRequest ofSequence(long sequence) {
        return new OutboxPageRequest(1, sequence - 1, sequence + 1);
    }

    /**
     * Messages with a higher sequence only: the batch after the one that ended with this sequence.
     *
     * @param sequence the lower end, exclusive; null for none
     * @return the narrowed request; never null
     */
    public OutboxPageRequest withAfter(@Nullable Long sequence) {
        return new OutboxPageRequest(limit, sequence, before);
    }

    /**
     * Messages with a lower sequence only: the page after the one that ended with this sequence.
     *
     * @param sequence the upper end, exclusive; null for none
     * @return the narrowed request; never null
     */
    public OutboxPageRequest withBefore(@Nullable Long sequence) {
        return new OutboxPageRequest(limit, after, sequence);
    }

    /** {@return the highest number of messages, from 1 to {@value #MAX_LIMIT}} */
    public int limit() {
        return limit;
    }

    /** {@return the lower end of the sequences, exclusive, or null for none} */
    public @Nullable Long after() {
        return after;
    }

    /** {@return the upper end of the sequences, exclusive, or null for none} */
    public @Nullable Long before() {
        return before;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OutboxPageRequest request
                && limit == request.limit
                && Objects.equals(after, request.after)
                && Objects.equals(before, request.before);
    }

    @Override
    public int hashCode() {
        return Objects.hash(limit, after, before);
    }

    /** Lists the values, for a log or a debugger; the form may change. */
    @Override
    public String toString() {
        return "OutboxPageRequest[limit=%s, after=%s, before=%s]".formatted(limit, after, before);
    }
}
