package dev.cdioutbox.sample;

import java.util.List;

import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.operate.OutboxPageRequest;

/** The messages in the outbox. */
@Path("/messages")
@RequestScoped
@Produces(MediaType.APPLICATION_JSON)
public class MessageResource {

    @Inject
    private OutboxOperations outbox;

    /** The newest messages, or all of one order. */
    @GET
    public List<MessageView> find(@QueryParam("order") String order) {
        List<OutboxMessage> found = order == null
                ? outbox.find(OutboxFilter.all())
                : outbox.find(OutboxFilter.all().withKey(order), OutboxPageRequest.of(OutboxPageRequest.MAX_LIMIT));
        return found.stream().map(MessageView::of).toList();
    }
}
