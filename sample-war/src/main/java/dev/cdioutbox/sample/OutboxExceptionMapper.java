package dev.cdioutbox.sample;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxUnavailableException;

/** Answers a refusal or failure of the outbox with its code, by which an operator finds the explanation. */
@Provider
public class OutboxExceptionMapper implements ExceptionMapper<OutboxException> {

    @Override
    public Response toResponse(OutboxException exception) {
        return response(exception);
    }

    static Response response(OutboxException exception) {
        return Problem.of(exception.getMessage()).withCode(exception.code()).as(status(exception));
    }

    private static Response.Status status(OutboxException exception) {
        if (exception instanceof EventRefusedException) {
            return Response.Status.BAD_REQUEST;
        }
        return exception instanceof OutboxUnavailableException
                ? Response.Status.SERVICE_UNAVAILABLE
                : Response.Status.INTERNAL_SERVER_ERROR;
    }
}
