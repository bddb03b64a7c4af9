package dev.cdioutbox.operate;

/**
 * Something that is wrong with the outbox's set-up, found by {@link OutboxOperations#diagnose}. Immutable.
 *
 * <pre>{@code
 * outbox.diagnose().forEach(finding -> show(finding.code(), finding.text()));
 * }</pre>
 */
public interface OutboxFinding {

    /** {@return the stable code of what is wrong, for example {@code OBX-0501}; not null} */
    String code();

    /** {@return what is wrong, with what, why it matters, and the next step, without the code; not null} */
    String text();
}
