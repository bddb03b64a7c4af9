package dev.cdioutbox.sample;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** An order that is not there: 404. One that does not allow what was asked for: 409. */
@Provider
public class OrderRejectedMapper implements ExceptionMapper<OrderRejected> {

    @Override
    public Response toResponse(OrderRejected rejected) {
        return Problem.of(rejected.getMessage())
                .as(rejected instanceof UnknownOrder ? Response.Status.NOT_FOUND : Response.Status.CONFLICT);
    }
}
