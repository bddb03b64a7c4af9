package dev.cdioutbox.internal.operate.console;

import java.io.IOException;
import java.util.Optional;
import java.util.logging.Logger;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.Reported;

/**
 * Admits users with a role of the console, requires the CSRF header of a change, and sets the security
 * headers. The code checks the role because the security constraint may be missing: the feature may be off, or a
 * {@code web.xml} may replace the constraint.
 */
final class ConsoleSecurity {
    /**
     * The only defence against CSRF: a browser sends a custom header to another origin only after a preflight request,
     * which the console refuses. docs/decisions/README.md says why there is no second one.
     */
    private static final String CSRF_HEADER = "X-Outbox-Console";

    private static final Logger LOG = Logger.getLogger(ConsoleSecurity.class.getName());
    private static final String ONLY_OUR_OWN =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                    + " form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

    private final Reported<OutboxCode> reported = new Reported<>();

    /** Sets security headers, for every answer, including refusals. */
    void protect(HttpServletResponse response) {
        response.setHeader("Content-Security-Policy", ONLY_OUR_OWN);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cache-Control", "no-store");
    }

    /** @return the user's role; empty if the response is complete, for example because the container asks the user to sign in */
    Optional<Role> admit(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        if (request.getUserPrincipal() == null && !request.authenticate(response) && isAnswered(response)) {
            return Optional.empty();
        }
        if (request.getUserPrincipal() == null) {
            if (reported.begin(OutboxCode.CONSOLE_UNPROTECTED)) {
                LOG.warning(OutboxCode.CONSOLE_UNPROTECTED.text(Role.listed()));
            }
            throw new RequestRefusedException(HttpServletResponse.SC_FORBIDDEN, "No user is signed in.");
        }
        Optional<Role> role = Role.of(request);
        if (role.isEmpty()) {
            throw RequestRefusedException.needs(Role.listed());
        }
        return role;
    }

    /** Every change needs the header. */
    void requireCsrfHeader(HttpServletRequest request) {
        if (request.getHeader(CSRF_HEADER) == null) {
            throw new RequestRefusedException(
                    HttpServletResponse.SC_FORBIDDEN, "A change needs the header " + CSRF_HEADER + ".");
        }
    }

    /**
     * Without the security feature, authenticate() writes no response, and the user would get an empty page with status
     * 200.
     */
    private static boolean isAnswered(HttpServletResponse response) {
        return response.isCommitted() || response.getStatus() != HttpServletResponse.SC_OK;
    }
}
