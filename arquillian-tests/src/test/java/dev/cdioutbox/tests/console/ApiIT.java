package dev.cdioutbox.tests.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import jakarta.json.JsonObject;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.SampleServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The commands of docs/api.md work as they stand there, and the API refuses a request as its table says. */
@ExtendWith(SampleServer.Shared.class)
class ApiIT {
    private static final Pattern COMMANDS = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");
    private static final Path PAGE = Path.of(System.getProperty("project.root"), "docs", "api.md");

    private final SampleServer shared;
    private final ConsoleClient admin;

    ApiIT(SampleServer shared) {
        this.shared = shared;
        this.admin = ConsoleClient.admin(shared.server());
    }

    /** No claim reads them, and nothing sends what the commands retry. */
    @BeforeEach
    void abandonTwoMessages() {
        MadeMessages.make(shared, 2, OutboxStatus.ABANDONED, null, "{}", "refused");
    }

    @AfterEach
    void leaveNothing() {
        admin.post("/outbox/api/v1/resume", "destination=default");
        MadeMessages.delete(shared);
    }

    @Test
    void commandsOfThePageWork() throws IOException, InterruptedException {
        admin.post("/outbox/api/v1/pause", "destination=default");
        long before = lastAudit();
        String id = admin.object("/outbox/api/v1/messages?type=Made")
                .getJsonArray("messages")
                .getJsonObject(0)
                .getString("id");

        List<String> answers = answers(id);

        assertThat(answers)
                .filteredOn(answer -> answer.contains("\"error\""))
                .as("the sample has no destination to backfill")
                .hasSize(2)
                .allMatch(answer -> answer.contains("OBX-0604"));
        assertThat(answers.get(0)).startsWith("openapi: 3");
        assertThat(answers.stream()
                        .filter(answer -> answer.contains("\"changed\":1,") && answer.contains("\"after\":null")))
                .as("one message, the other one, and resume; the destination was paused before")
                .hasSize(3);
        assertThat(admin.object("/outbox/api/v1/audit").getJsonArray("entries").getValuesAs(JsonObject.class))
                .filteredOn(entry -> entry.getInt("id") > before)
                .extracting(entry -> entry.getString("action") + " " + entry.getString("who"))
                .containsExactly(
                        "discard-dead-letters operator",
                        "send-back operator",
                        "resume operator",
                        "pause operator",
                        "retry operator",
                        "retry operator");
    }

    /** More than one page of the list, and more than one batch of the change. */
    @Test
    void loopsOfThePageReachEachMessage() throws IOException, InterruptedException {
        MadeMessages.make(shared, 550, OutboxStatus.ABANDONED, null, "{}", "refused");
        admin.post("/outbox/api/v1/pause", "destination=default");

        List<String> listed = shell(block(0) + block(2)).lines().toList();

        assertThat(listed).hasSize(552).doesNotHaveDuplicates();
        assertThat(admin.object("/outbox/api/v1/messages?status=ABANDONED&type=Made")
                        .getJsonArray("messages"))
                .isEmpty();
        // Before the destination is resumed, so that none of them is sent.
        MadeMessages.delete(shared);
    }

    private long lastAudit() {
        return admin.object("/outbox/api/v1/audit?limit=1")
                .getJsonArray("entries")
                .getJsonObject(0)
                .getInt("id");
    }

    /** Runs the page's single commands in one shell, and returns the answer of each. */
    private List<String> answers(String id) throws IOException, InterruptedException {
        String commands = block(1);
        assertThat(commands.lines().filter(line -> line.startsWith("curl "))).hasSizeGreaterThan(8);
        String end = UUID.randomUUID().toString();
        String output = shell("""
                curl() { command curl -sS --fail-with-body "$@" || [[ "$*" == *backfill ]]; echo; echo %s; }
                id=%s below=%d
                """.formatted(end, id, Integer.MAX_VALUE) + block(0) + commands);
        return Pattern.compile(end).splitAsStream(output).map(String::strip).toList();
    }

    /** The page has the variables, the single commands and the loops. */
    private String block(int number) throws IOException {
        List<String> blocks = COMMANDS.matcher(Files.readString(PAGE))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertThat(blocks).hasSize(3);
        return blocks.get(number)
                .replace("http://localhost:9080/", shared.server().url("/").toString());
    }

    /** Fails if a command does. */
    private static String shell(String commands) throws IOException, InterruptedException {
        Process shell = new ProcessBuilder("bash", "-e", "-c", commands)
                // One of them writes a file.
                .directory(new File("target"))
                .redirectErrorStream(true)
                .start();
        String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    void refusalHasTheStatusAndTheCodeOfThePage() throws IOException {
        assertThat(Files.readString(PAGE).lines().filter(line -> line.startsWith("| 4") || line.startsWith("| 5")))
                .extracting(line -> Pattern.compile("\\d{3}|OBX-\\d+")
                        .matcher(line)
                        .results()
                        .map(MatchResult::group)
                        .collect(Collectors.joining(" ")))
                .containsExactly(
                        "400 OBX-0615",
                        "401 403 OBX-0615",
                        "404 OBX-0615",
                        "404 OBX-0601 OBX-0604 OBX-0603",
                        "405 OBX-0615",
                        "409 OBX-0605 OBX-0609",
                        "415 OBX-0615",
                        "500 503 OBX-0613");
        assertRefused(admin.get("/outbox/api/v1/messages?typ=Made"), 400, "OBX-0615");
        assertRefused(admin.post("/outbox/api/v1/changes/discard?below=1", "type="), 400, "OBX-0615");
        assertRefused(admin.postFromElsewhere("/outbox/api/v1/pause", "destination=default"), 403, "OBX-0615");
        assertRefused(admin.get("/outbox/api/v1/nothing"), 404, "OBX-0615");
        assertRefused(admin.get("/outbox/api/state"), 404, "OBX-0615");
        assertRefused(admin.get("/outbox/api/v1/messages/" + UUID.randomUUID()), 404, "OBX-0615");
        assertRefused(admin.post("/outbox/api/v1/pause", "destination=nowhere"), 404, "OBX-0601");
        assertRefused(admin.get("/outbox/api/v1/state?outbox=nowhere"), 404, "OBX-0603");
        assertRefused(admin.get("/outbox/api/v1/resume?destination=default"), 405, "OBX-0615");
    }

    /** A change that loses its filter with its body would change everything. */
    @Test
    void bodyThatTheServerDoesNotReadIsRefused() throws IOException {
        String change = "/outbox/api/v1/changes/discard";
        for (String type : List.of("application/json", "text/plain", "multipart/form-data; boundary=x")) {
            HttpRequest.Builder json = admin.request(change + "?below=1000000")
                    .header("X-Outbox-Console", "test")
                    .header("Content-Type", type)
                    .POST(BodyPublishers.ofString("{\"type\":\"NoSuchType\"}"));
            assertRefused(Http.send(json), 415, "OBX-0615");
        }
        assertRefused(admin.post(change + "?below=1000000", "type=NoSuchType"), 400, "OBX-0615");
        HttpRequest.Builder get = admin.request(change)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .method("GET", BodyPublishers.ofString("type=NoSuchType"));
        assertRefused(Http.send(get), 400, "OBX-0615");
        for (String broken : List.of(
                "Content-Length: 60\r\n\r\n",
                "Content-Length: 60\r\n\r\nbelow=1000000&",
                "Transfer-Encoding: chunked\r\n\r\n3c\r\nbelow=1000000&")) {
            assertThat(statusOf(change, broken)).as(broken).contains(" 400 ");
        }
        assertThat(admin.object("/outbox/api/v1/messages?type=Made&status=ABANDONED")
                        .getJsonArray("messages"))
                .hasSize(2);
        // The address alone is enough.
        HttpResponse<String> resumed = admin.post("/outbox/api/v1/resume?destination=default", "");
        assertThat(resumed.statusCode()).as(resumed.body()).isEqualTo(200);
    }

    /** Of a form whose sender ends the connection before all of it was sent. */
    private String statusOf(String path, String rest) throws IOException {
        URI address = shared.server().url(path);
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            String sent = "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\nX-Outbox-Console: test\r\n"
                            .formatted(path, admin.authorization())
                    + "Content-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n" + rest;
            socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("");
        }
    }

    private static void assertRefused(HttpResponse<String> answer, int status, String code) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        JsonObject error = Http.json(answer).asJsonObject();
        assertThat(error.getString("code")).isEqualTo(code);
        assertThat(error.getString("error")).isNotEmpty();
    }
}
