package dev.cdioutbox.sample;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** Answers 404 for an unknown order, and 409 for an order whose status does not allow the request. */
@Provider
public class OrderRejectedMapper implements ExceptionMapper<OrderRejected> {

    @Override
    public Response toResponse(OrderRejected rejected) {
        return Problem.of(rejected.getMessage())
                .as(rejected instanceof UnknownOrder ? Response.Status.NOT_FOUND : Response.Status.CONFLICT);
    }
}
