package dev.cdioutbox;

import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A refusal or failure of the outbox. The message begins with the {@linkplain #code() code} and says what happened, to
 * what, the likely cause and the next step.
 *
 * <p>If {@code fire()} throws this exception, the outbox stores no row of the event. An active transaction is marked
 * for rollback, so that no business change commits without its event.
 *
 * <p>The class says what a caller can do about it, and the code tells an operator more:
 *
 * <table>
 * <caption>The class of each code</caption>
 * <tr><th>class</th><th>what a caller can do</th><th>codes</th></tr>
 * <tr><td>{@link EventRefusedException}</td>
 *     <td>refuse the input that the event was made of, or put the received message aside; it fails again if repeated</td>
 *     <td>OBX-0106 to OBX-0109, OBX-0113, OBX-0114, OBX-0120, OBX-0125 to OBX-0127, OBX-0135, OBX-0344, OBX-0471, OBX-0511, OBX-0512, OBX-0540,
 *     OBX-0548</td></tr>
 * <tr><td>{@link OutboxUnavailableException}</td>
 *     <td>run the whole transaction again, later</td>
 *     <td>OBX-0110, OBX-0122, OBX-0224, OBX-0302</td></tr>
 * <tr><td>{@link dev.cdioutbox.operate.UnknownNameException}</td>
 *     <td>tell the operator that the name is wrong</td>
 *     <td>OBX-0601, OBX-0603, OBX-0604</td></tr>
 * <tr><td>{@code OutboxException} itself</td>
 *     <td>nothing: the program, the configuration or the server has a mistake</td>
 *     <td>all others</td></tr>
 * </table>
 *
 * <p>The caller of an EJB finds the exception among the causes of an {@code EJBException}. A failure at the commit
 * (OBX-0110, OBX-0344) is a cause of the container's exception for every caller. {@link #in} finds both.
 *
 * <pre>{@code
 * public Response place(Order order) {
 *     try {
 *         orders.place(order); // an EJB, whose transaction ends with this call
 *         return Response.noContent().build();
 *     } catch (RuntimeException failed) {
 *         OutboxException reason = OutboxException.in(failed);
 *         if (reason instanceof EventRefusedException) {
 *             return Response.status(400).entity(reason.code()).build();
 *         } else if (reason instanceof OutboxUnavailableException) {
 *             return Response.status(503).header("Retry-After", 5).build();
 *         }
 *         throw failed;
 *     }
 * }
 * }</pre>
 *
 * <p>A database that is down usually fails a statement of the application first, with a {@code PersistenceException} or
 * {@code SQLException} instead of this one.
 */
public class OutboxException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;

    /**
     * Creates an exception.
     *
     * @param code the stable code, for example {@code OBX-0101}; not null
     * @param text what happened, to what, the likely cause and the next step, without the code; not null
     * @param cause the underlying failure, or null
     */
    public OutboxException(String code, String text, @Nullable Throwable cause) {
        super(Objects.requireNonNull(code, "code") + ": " + Objects.requireNonNull(text, "text"), cause);
        this.code = code;
    }

    /**
     * Finds the outbox's exception in what a caller caught.
     *
     * @param failure an exception of a container, or of the outbox itself; not null
     * @return the failure itself or the nearest of its causes; null if none of them is of the outbox
     */
    public static @Nullable OutboxException in(Throwable failure) {
        Throwable cause = Objects.requireNonNull(failure, "failure");
        while (cause != null && !(cause instanceof OutboxException)) {
            cause = cause.getCause();
        }
        return (OutboxException) cause;
    }

    /**
     * The stable code of this kind of problem. The page {@code messages.md} in the project's {@code docs} explains each
     * code of the outbox.
     *
     * @return the code, for example {@code OBX-0101}, or that of an enricher or serializer of the application; never null
     */
    public final String code() {
        return code;
    }
}
