package dev.cdioutbox.sample;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** Gives refusals of the REST runtime (no such path, method or media type) the form of every other problem. */
@Provider
public class WebApplicationExceptionMapper implements ExceptionMapper<WebApplicationException> {

    @Override
    public Response toResponse(WebApplicationException exception) {
        Response response = exception.getResponse();
        // Keep the headers: a 405 lists the allowed methods in Allow.
        return Problem.of(response.getStatusInfo().getReasonPhrase() + ".").on(Response.fromResponse(response));
    }
}
