package dev.cdioutbox.internal.operate.console;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Set;

import jakarta.servlet.http.HttpServletResponse;

/**
 * Serves the files of the page from the jar. Only listed paths are served, so that no request can read other resources.
 */
final class PageFiles {
    private static final String HTML = "text/html;charset=UTF-8";
    private static final String CSS = "text/css;charset=UTF-8";
    private static final String SCRIPT = "text/javascript;charset=UTF-8";
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("/", HTML),
            Map.entry("/console.css", CSS),
            Map.entry("/favicon.svg", "image/svg+xml"),
            Map.entry("/console.js", SCRIPT),
            Map.entry("/audit.js", SCRIPT),
            Map.entry("/api.js", SCRIPT),
            Map.entry("/chart.js", SCRIPT),
            Map.entry("/dom.js", SCRIPT),
            Map.entry("/filter.js", SCRIPT),
            Map.entry("/format.js", SCRIPT),
            Map.entry("/message.js", SCRIPT),
            Map.entry("/messages.js", SCRIPT),
            Map.entry("/state.js", SCRIPT),
            Map.entry("/operations.js", SCRIPT));

    static Set<String> paths() {
        return TYPES.keySet();
    }

    void send(String path, HttpServletResponse response) throws IOException {
        String type = TYPES.get(path);
        if (type == null) {
            throw RequestRefusedException.notFound();
        }
        try (InputStream file =
                PageFiles.class.getResourceAsStream(path.equals("/") ? "page/index.html" : "page" + path)) {
            response.setContentType(type);
            file.transferTo(response.getOutputStream());
        }
    }
}
