package dev.cdioutbox.tests.tutorial;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The text of a page that a test follows: files with their names, and requests with their answers. */
final class Page {
    private static final Pattern FILE = Pattern.compile("(?ms)^\\*\\*`([^`]+)`\\*\\*\\n\\n```\\w+\\n(.*?)^```$");
    private static final Pattern REQUEST =
            Pattern.compile("(?ms)^```sh\\n(curl [^\\n]*)\\n```\\n\\n```\\w+\\n(.*?)^```$");
    private static final Pattern DEPENDENCIES = Pattern.compile("(?ms)^```xml\\n(<dependency>.*?)^```$");
    private static final Pattern INCLUDE = Pattern.compile("(?ms)^```xml\\n(<include .*?)^```$");
    private static final Pattern VARIABLES = Pattern.compile("(?ms)^```xml\\n(<variable .*?)^```$");
    private static final Pattern ADDRESS = Pattern.compile("http://localhost:9080(/[^\\s']*)");
    private static final Pattern USER = Pattern.compile("-u (\\S+)");

    private final String text;

    private Page(String text) {
        this.text = text;
    }

    static Page read(Path file) {
        try {
            return new Page(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The chapters before the one with this heading. */
    Page before(String heading) {
        return new Page(text.substring(0, start(heading)));
    }

    /** The chapter with this heading, and the following ones. */
    Page from(String heading) {
        return new Page(text.substring(start(heading)));
    }

    private int start(String heading) {
        int start = text.indexOf("\n## " + heading + "\n");
        if (start < 0) {
            throw new IllegalArgumentException("the page has no chapter '" + heading + "'");
        }
        return start;
    }

    /** Writes the page's files as a reader does: a file of a later chapter replaces the one of an earlier chapter. */
    void writeFiles(Path folder) throws IOException {
        for (MatchResult block : FILE.matcher(text).results().toList()) {
            Path file = folder.resolve(block.group(1));
            Files.createDirectories(file.getParent());
            Files.writeString(file, block.group(2));
        }
    }

    /** Adds the page's dependencies to a pom, as a reader does. */
    void addDependencies(Path pom) throws IOException {
        Matcher block = DEPENDENCIES.matcher(text);
        if (!block.find()) {
            throw new IllegalArgumentException("the page has no dependencies");
        }
        String before = Files.readString(pom);
        Files.writeString(pom, before.replace("  </dependencies>", block.group(1) + "  </dependencies>"));
    }

    /** Puts the page's include, and what belongs to it, in the place of the one in a server.xml, as a reader does. */
    void changeInclude(Path serverXml) throws IOException {
        Matcher block = INCLUDE.matcher(text);
        if (!block.find()) {
            throw new IllegalArgumentException("the page has no include");
        }
        String before = Files.readString(serverXml);
        Files.writeString(
                serverXml, before.replaceFirst("<include [^>]+/>\n", Matcher.quoteReplacement(block.group(1))));
    }

    /** Adds the page's variables to a server.xml, as a reader does. */
    void addVariables(Path serverXml) throws IOException {
        Matcher block = VARIABLES.matcher(text);
        if (!block.find()) {
            throw new IllegalArgumentException("the page has no variables");
        }
        String before = Files.readString(serverXml);
        Files.writeString(serverXml, before.replace("</server>", block.group(1) + "</server>"));
    }

    List<Exchange> exchanges() {
        return REQUEST.matcher(text)
                .results()
                .map(block -> new Exchange(block.group(1), block.group(2)))
                .toList();
    }

    /** A command with curl and the answer that the page shows for it. */
    record Exchange(String command, String shown) {

        boolean changes() {
            return command.contains("-X POST");
        }

        /** The request that the command makes, to a server on another port. */
        HttpRequest.Builder request(int port) {
            Matcher address = ADDRESS.matcher(command);
            if (!address.find()) {
                throw new IllegalArgumentException("no address in " + command);
            }
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(URI.create("http://localhost:" + port + address.group(1)));
            Matcher user = USER.matcher(command);
            if (user.find()) {
                byte[] credentials = user.group(1).getBytes(StandardCharsets.UTF_8);
                request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
            }
            return changes() ? request.POST(BodyPublishers.noBody()) : request.GET();
        }

        /** Whether the answer has each line that the page shows. An ellipsis there represents any text. */
        boolean isAnsweredBy(String answer) {
            return shown.lines().allMatch(line -> Stream.of(line.split("…", -1))
                    .map(Pattern::quote)
                    .collect(Collectors.collectingAndThen(Collectors.joining(".*"), Pattern::compile))
                    .matcher(answer)
                    .find());
        }
    }
}
