package dev.cdioutbox.sample;

import java.util.List;

import jakarta.json.bind.annotation.JsonbPropertyOrder;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/**
 * The body of every error response.
 *
 * @param error the problem, as a sentence for the user
 * @param code the outbox's code, or null
 * @param orderId the id of the order that was rolled back, or null
 * @param violations the problems of the request's fields; empty for another kind of problem
 */
@JsonbPropertyOrder({"error", "code", "orderId", "violations"})
public record Problem(String error, String code, String orderId, List<Violation> violations) {

    /** A field of the request with its problem. */
    @JsonbPropertyOrder({"field", "message"})
    public record Violation(String field, String message) {}

    static Problem of(String error) {
        return new Problem(error, null, null, List.of());
    }

    static Problem ofFields(List<Violation> violations) {
        return new Problem("The request is not valid.", null, null, violations);
    }

    Problem withCode(String added) {
        return new Problem(error, added, orderId, violations);
    }

    Problem withOrder(String added) {
        return new Problem(error, code, added, violations);
    }

    Response as(Response.StatusType status) {
        return on(Response.status(status));
    }

    Response on(Response.ResponseBuilder response) {
        return response.type(MediaType.APPLICATION_JSON_TYPE).entity(this).build();
    }
}
