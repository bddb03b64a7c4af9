package dev.cdioutbox.sample;

import java.util.List;

import jakarta.json.bind.annotation.JsonbPropertyOrder;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;

/**
 * What every answer that is not a success looks like.
 *
 * @param error what is wrong, for a person
 * @param code the outbox's code, or null
 * @param orderId the order that is not there, or null
 * @param violations what is wrong with the request's fields; empty if it is something else
 */
@JsonbPropertyOrder({"error", "code", "orderId", "violations"})
public record Problem(String error, String code, String orderId, List<Violation> violations) {

    /** A field of the request and what is wrong with it. */
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
