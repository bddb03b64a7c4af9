package dev.cdioutbox.sample;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** What the REST runtime itself refuses (no such path, method or media type) looks like every other problem. */
@Provider
public class WebApplicationExceptionMapper implements ExceptionMapper<WebApplicationException> {

    @Override
    public Response toResponse(WebApplicationException exception) {
        Response response = exception.getResponse();
        // Headers stay: a 405 says in Allow what is allowed.
        return Problem.of(response.getStatusInfo().getReasonPhrase() + ".").on(Response.fromResponse(response));
    }
}
