package dev.cdioutbox.sample;

import java.util.Comparator;
import java.util.List;

import jakarta.validation.ConstraintViolation;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.ElementKind;
import jakarta.validation.Path;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** Answers a request that violates a constraint: 400, with the fields by the names that the client used. */
@Provider
public class ConstraintViolationMapper implements ExceptionMapper<ConstraintViolationException> {

    @Override
    public Response toResponse(ConstraintViolationException exception) {
        List<Problem.Violation> violations = exception.getConstraintViolations().stream()
                .map(ConstraintViolationMapper::violation)
                .sorted(Comparator.comparing(Problem.Violation::field).thenComparing(Problem.Violation::message))
                .toList();
        return Problem.ofFields(violations).as(Response.Status.BAD_REQUEST);
    }

    private static Problem.Violation violation(ConstraintViolation<?> violation) {
        return new Problem.Violation(field(violation.getPropertyPath()), violation.getMessage());
    }

    /** Turns {@code place.order.lines[2].quantity} into {@code lines[2].quantity}, and {@code place.fail} into {@code fail}. */
    static String field(Path path) {
        StringBuilder field = new StringBuilder();
        String last = "";
        for (Path.Node node : path) {
            last = node.getName();
            if (node.getIndex() != null) {
                field.append('[').append(node.getIndex()).append(']');
            }
            if (node.getKind() == ElementKind.PROPERTY) {
                field.append(field.isEmpty() ? "" : ".").append(last);
            }
        }
        return field.isEmpty() ? last : field.toString();
    }
}
