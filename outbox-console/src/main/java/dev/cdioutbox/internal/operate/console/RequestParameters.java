package dev.cdioutbox.internal.operate.console;

import static dev.cdioutbox.internal.operate.console.RequestRefusedException.badRequest;

import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Reads the parameters of a request: all of the query, or all of a form. A container silently leaves out a body that is no
 * form, and a form that it cannot read to its end. A change would lose its filter with it, and would select all messages.
 */
final class RequestParameters {
    private static final String FORM = "application/x-www-form-urlencoded";

    private RequestParameters() {}

    static Map<String, String[]> of(HttpServletRequest request) {
        try {
            boolean isChange = request.getMethod().equals("POST");
            boolean isForm = isChange && isForm(request);
            if (isForm && !hasQuery(request) && request.getContentLengthLong() != 0) {
                return form(request);
            }
            if (hasBody(request, isChange)) {
                throw isChange
                        ? refusedBody(isForm)
                        : badRequest("A GET has its parameters in its address, and no body.");
            }
            return named(request.getParameterMap());
        } catch (IllegalArgumentException | IllegalStateException malformed) {
            throw badRequest("The parameters of the request are malformed, for example %zz.");
        } catch (IOException broken) {
            throw cutOff();
        }
    }

    /** The parameters with a name. Open Liberty reads a form without a body as a parameter without name and value. */
    private static Map<String, String[]> named(Map<String, String[]> read) {
        Map<String, String[]> all = new HashMap<>(read);
        all.computeIfPresent("", (name, values) -> String.join("", values).isEmpty() ? null : values);
        return all;
    }

    private static boolean isForm(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null
                && type.replaceFirst(";.*", "").strip().toLowerCase(Locale.ROOT).equals(FORM);
    }

    /** Of a form that breaks off, the container keeps nothing; and of one that a filter has read, all. */
    private static Map<String, String[]> form(HttpServletRequest request) {
        Map<String, String[]> all = request.getParameterMap();
        if (all.isEmpty()) {
            throw cutOff();
        }
        return all;
    }

    /** A body in chunks, or of HTTP/2, need not tell its length. */
    private static boolean hasBody(HttpServletRequest request, boolean isChange) throws IOException {
        long length = request.getContentLengthLong();
        if (length >= 0) {
            return length > 0;
        }
        try {
            return request.getInputStream().read() >= 0;
        } catch (IllegalStateException readByAFilter) {
            // Nobody knows what it was. A GET most likely had none.
            return isChange;
        }
    }

    private static boolean hasQuery(HttpServletRequest request) {
        return request.getQueryString() != null && !request.getQueryString().isEmpty();
    }

    private static RequestRefusedException refusedBody(boolean isForm) {
        return isForm
                ? badRequest("Give all parameters in the form, or all of them in the address.")
                : new RequestRefusedException(415, "A change takes its parameters as a form: " + FORM + ".");
    }

    private static RequestRefusedException cutOff() {
        return badRequest("The body of the request did not arrive as a whole.");
    }
}
