package dev.cdioutbox.sample;

import java.util.List;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;

/** The messages that the consumer received. */
@Path("/deliveries")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class DeliveryResource {

    @Inject
    private ShipmentLog shipments;

    /** The newest deliveries, or all of one order. */
    @GET
    public List<DeliveryView> find(@QueryParam("order") String order) {
        return order == null ? shipments.recent() : shipments.ofOrder(order);
    }
}
