package dev.cdioutbox.internal.operate.console;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * Tells a change that our page asks for from one that another site makes a signed-in browser ask for. The same secret is
 * in a cookie, which other sites cannot read, and in a header, which they cannot send. Kept by the browser alone, so that
 * any node may answer and no session is needed.
 */
final class CsrfToken {
    static final String COOKIE = "outbox-csrf";
    static final String HEADER = "X-Outbox-Csrf";

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 32;
    private static final int LENGTH = 43;

    private CsrfToken() {}

    /** The browser's secret; a new one is given to a browser that has none. */
    static String of(HttpServletRequest request, HttpServletResponse response) {
        return cookie(request).orElseGet(() -> {
            byte[] random = new byte[BYTES];
            RANDOM.nextBytes(random);
            String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
            Cookie cookie = new Cookie(COOKIE, token);
            cookie.setHttpOnly(true);
            cookie.setSecure(request.isSecure());
            cookie.setPath(request.getContextPath() + request.getServletPath());
            cookie.setAttribute("SameSite", "Strict");
            response.addCookie(cookie);
            return token;
        });
    }

    /** @throws RequestRefusedException 403 unless our own page sent the request */
    static void check(HttpServletRequest request) {
        String header = request.getHeader(HEADER);
        Optional<String> cookie = cookie(request);
        if (!isOurOwnSite(request)) {
            throw new RequestRefusedException(
                    HttpServletResponse.SC_FORBIDDEN, "Changes are taken from the console's own page only.");
        }
        if (header == null || cookie.isEmpty() || !isEqual(header, cookie.get())) {
            throw new RequestRefusedException(
                    HttpServletResponse.SC_FORBIDDEN, "The page is out of date. Load it again.");
        }
    }

    /** What the browser says of the page; one that says nothing, a script's client, has no one else's cookies to abuse. */
    private static boolean isOurOwnSite(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null) {
            return site.equals("same-origin");
        }
        String origin = request.getHeader("Origin");
        return origin == null || authority(origin).equals(host(request));
    }

    /** HTTP/2 has no header of that name. */
    private static String host(HttpServletRequest request) {
        String host = request.getHeader("Host");
        if (host != null) {
            return host;
        }
        int usual = request.isSecure() ? 443 : 80;
        return request.getServerName() + (request.getServerPort() == usual ? "" : ":" + request.getServerPort());
    }

    private static String authority(String origin) {
        try {
            return String.valueOf(URI.create(origin).getRawAuthority());
        } catch (IllegalArgumentException noUrl) {
            return "";
        }
    }

    private static Optional<String> cookie(HttpServletRequest request) {
        Cookie[] cookies = request.getCookies();
        for (Cookie cookie : cookies == null ? new Cookie[0] : cookies) {
            if (cookie.getName().equals(COOKIE) && cookie.getValue().length() == LENGTH) {
                return Optional.of(cookie.getValue());
            }
        }
        return Optional.empty();
    }

    private static boolean isEqual(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
