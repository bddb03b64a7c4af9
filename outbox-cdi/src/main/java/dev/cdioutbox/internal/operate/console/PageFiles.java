package dev.cdioutbox.internal.operate.console;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServletResponse;

/** Serves the files of the page from the jar. */
final class PageFiles {
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=UTF-8",
            "css", "text/css;charset=UTF-8",
            "svg", "image/svg+xml",
            "js", "text/javascript;charset=UTF-8");

    /** A name of letters: without a further slash or dot, no request can read other resources. */
    private static final Pattern FILE = Pattern.compile("/([a-z]+\\.(html|css|svg|js))");

    void send(String path, HttpServletResponse response) throws IOException {
        Matcher file = FILE.matcher(path.equals("/") ? "/index.html" : path);
        try (InputStream content =
                file.matches() ? PageFiles.class.getResourceAsStream("page/" + file.group(1)) : null) {
            if (content == null) {
                throw RequestRefusedException.notFound();
            }
            response.setContentType(TYPES.get(file.group(2)));
            content.transferTo(response.getOutputStream());
        }
    }
}
