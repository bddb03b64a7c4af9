package dev.cdioutbox.sample;

import java.net.URI;
import java.util.List;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;

/** Orders: place, cancel, read. */
@Path("/orders")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class OrderResource {

    private static final String AFTER_FIRE = "after-fire";

    @Inject
    private OrderService orders;

    /** Places an order; with {@code ?fail=after-fire} the transaction fails after {@code fire()}. */
    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    public Response place(
            @NotNull @Valid PlaceOrder order,
            @QueryParam("fail") @Pattern(regexp = AFTER_FIRE) String fail,
            @Context UriInfo here) {
        OrderView placed = AFTER_FIRE.equals(fail) ? orders.placeAndFail(order) : orders.place(order);
        URI location = here.getAbsolutePathBuilder().path(placed.id()).build();
        return Response.created(location).entity(placed).build();
    }

    /** The newest orders. */
    @GET
    public List<OrderView> recent() {
        return orders.recent();
    }

    /** One order. */
    @GET
    @Path("/{id}")
    public OrderView get(@PathParam("id") String id) {
        return orders.get(id);
    }

    /** The events of an order, with the state of their messages. */
    @GET
    @Path("/{id}/events")
    public List<OrderEvent> events(@PathParam("id") String id) {
        return orders.events(id);
    }

    /** Cancels an order. */
    @POST
    @Path("/{id}/cancel")
    public OrderView cancel(@PathParam("id") String id) {
        return orders.cancel(id);
    }
}
