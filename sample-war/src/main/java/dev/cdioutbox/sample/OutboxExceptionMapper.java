package dev.cdioutbox.sample;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

import dev.cdioutbox.OutboxException;

/** Answers a refusal or failure of the outbox: 500 with its code, by which an operator finds the explanation. */
@Provider
public class OutboxExceptionMapper implements ExceptionMapper<OutboxException> {

    @Override
    public Response toResponse(OutboxException exception) {
        return response(exception);
    }

    static Response response(OutboxException exception) {
        return Problem.of(exception.getMessage()).withCode(exception.code()).as(Response.Status.INTERNAL_SERVER_ERROR);
    }
}
