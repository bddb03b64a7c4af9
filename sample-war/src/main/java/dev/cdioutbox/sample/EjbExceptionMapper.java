package dev.cdioutbox.sample;

import jakarta.ejb.EJBException;
import jakarta.persistence.OptimisticLockException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import dev.cdioutbox.OutboxException;

/**
 * Finds the reason of a rollback. The container has wrapped the reason, perhaps more than once, as a failure of the
 * method or of the commit, and has logged it.
 */
@Provider
public class EjbExceptionMapper implements ExceptionMapper<EJBException> {

    @Override
    public Response toResponse(EJBException exception) {
        for (Throwable reason = exception; reason != null; reason = reason.getCause()) {
            if (reason instanceof OutboxException refused) {
                return OutboxExceptionMapper.response(refused);
            }
            if (reason instanceof PretendedFailure failure) {
                return response(failure);
            }
            if (reason instanceof OptimisticLockException) {
                return Problem.of("Someone else changed this order at the same moment; look at it again.")
                        .as(Response.Status.CONFLICT);
            }
        }
        return Problem.of("The transaction failed and was rolled back; the server's log says why.")
                .as(Response.Status.INTERNAL_SERVER_ERROR);
    }

    /** 500 and not 409: the request was correct, and a real failure would have the same status. */
    private static Response response(PretendedFailure failure) {
        return Problem.of("The business transaction failed after fire() and was rolled back:"
                        + " no order was stored and nothing was sent.")
                .withOrder(failure.orderId())
                .as(Response.Status.INTERNAL_SERVER_ERROR);
    }
}
