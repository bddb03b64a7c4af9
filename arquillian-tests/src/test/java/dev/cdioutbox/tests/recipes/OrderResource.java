package dev.cdioutbox.tests.recipes;

import java.util.UUID;

import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.Transactional;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;

@Path("/orders")
@RequestScoped
@Transactional
public class OrderResource {
    @PersistenceContext
    private EntityManager entities;

    @Inject
    private Event<OrderPlaced> placed;

    @POST
    public Response place(
            @HeaderParam("Idempotency-Key") String idempotencyKey, @QueryParam("customer") String customer) {
        if (idempotencyKey == null) {
            return Response.status(400).build();
        }
        HandledRequest handled = entities.find(HandledRequest.class, idempotencyKey);
        if (handled != null) {
            return Response.ok(handled.answer()).build();
        }
        String orderId = UUID.randomUUID().toString();
        entities.persist(new HandledRequest(idempotencyKey, orderId));
        // A copy of this request waits here until this transaction has ended, and then fails.
        entities.flush();
        placed.fire(new OrderPlaced(orderId, customer));
        return Response.ok(orderId).build();
    }
}
