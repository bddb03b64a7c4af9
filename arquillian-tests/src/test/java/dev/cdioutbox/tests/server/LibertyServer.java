package dev.cdioutbox.tests.server;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/**
 * A process of Open Liberty that runs the sample, and that a test can stop and kill. Its database, messages and
 * transaction log are on disk and outlive the process, as in production.
 */
public final class LibertyServer implements AutoCloseable {
    private static final Pattern HEAP_USED = Pattern.compile("used (\\d+)K");

    private final String name;
    private final Path usr;
    private final Path home;
    private final int port;
    private final Map<String, String> variables = new TreeMap<>();
    private final Map<String, String> environment = new TreeMap<>();
    private String module = "sample";
    private String probe = "/api/orders";
    private Process process;

    private LibertyServer(String name, Path serverXml) throws IOException {
        this.name = name;
        this.usr = fresh(name);
        this.home = usr.resolve("servers").resolve(name);
        this.port = freePort();
        copy(Path.of(System.getProperty("test.server-config")), home);
        Files.copy(serverXml, home.resolve("server.xml"), StandardCopyOption.REPLACE_EXISTING);
        Files.createDirectories(home.resolve("apps"));
        Files.copy(Path.of(System.getProperty("sample.war")), application());
        // The command `server create` does the same: the server encrypts its own keys with this password.
        Files.writeString(home.resolve("server.env"), "keystore_password=" + UUID.randomUUID());
        set("http.port", String.valueOf(port));
    }

    /** The sample with the server.xml that it ships, and with empty tables. */
    public static LibertyServer sample(String name) {
        return create(name, Path.of(System.getProperty("sample.server.xml")));
    }

    /** The sample with a server.xml from the folder of the tests. */
    public static LibertyServer sample(String name, String serverXml) {
        return create(name, Path.of(System.getProperty("test.servers"), serverXml));
    }

    private static LibertyServer create(String name, Path serverXml) {
        try {
            return new LibertyServer(name, serverXml);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Replaces the sample by another application.
     *
     * @param probe a path that answers with status 200 when the application is ready
     */
    public LibertyServer running(WebArchive application, String probe) {
        this.probe = probe;
        application
                .as(ZipExporter.class)
                .exportTo(home.resolve("apps/sample.war").toFile(), true);
        return this;
    }

    /** Uses the platform Jakarta EE 10 instead of 11, with the other parts of the fragment for Jakarta EE 11. */
    public LibertyServer onJakartaEe10() {
        String parts = Stream.of(
                        "features-jakartaee10",
                        "datasource-h2",
                        "messaging-embedded",
                        "transactions",
                        "timers",
                        "observability",
                        "security")
                .map("<include location=\"cdi-outbox/%s.xml\" />"::formatted)
                .collect(Collectors.joining());
        return edit("server.xml", "<include location=\"cdi-outbox/embedded.xml\" />", parts);
    }

    /** Removes a feature that the fragments add. */
    public LibertyServer without(String feature) {
        if (feature.startsWith("mpMetrics")) {
            edit(
                    "cdi-outbox/observability.xml",
                    "<mpMetrics authentication=\"${cdioutbox.metrics.authentication}\" />",
                    "");
        }
        String element = "<feature>" + feature + "</feature>";
        try {
            boolean isOfMessaging =
                    !Files.readString(home.resolve("cdi-outbox/features.xml")).contains(element);
            return edit("cdi-outbox/" + (isOfMessaging ? "messaging-embedded.xml" : "features.xml"), element, "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Leaves only the features of the fragments. The sample does not start with these; another application may. */
    public LibertyServer withoutItsOwnFeatures() {
        for (String feature : List.of("appSecurity", "beanValidation", "persistence", "restfulWS")) {
            edit("server.xml", "<feature>" + feature + "</feature>", "");
        }
        return this;
    }

    /** Adds a feature that the sample does not use. */
    private LibertyServer with(String feature) {
        return edit(
                "server.xml",
                "<feature>restfulWS</feature>",
                "<feature>restfulWS</feature><feature>" + feature + "</feature>");
    }

    /** Adds MicroProfile Telemetry. Its spans are dropped unless a test sets an exporter. */
    public LibertyServer traced() {
        return with("mpTelemetry")
                .set("otel.sdk.disabled", "false")
                .set("otel.traces.exporter", "none")
                .set("otel.metrics.exporter", "none")
                .set("otel.logs.exporter", "none");
    }

    /**
     * Adds MicroProfile Telemetry with one OpenTelemetry for the server and all its applications, which exports metrics
     * only.
     */
    public LibertyServer exportingMetricsTo(String collector) {
        try {
            Files.writeString(
                    home.resolve("bootstrap.properties"),
                    """

                    otel.sdk.disabled=false
                    otel.traces.exporter=none
                    otel.logs.exporter=none
                    otel.exporter.otlp.protocol=http/protobuf
                    otel.exporter.otlp.endpoint=%s
                    otel.metric.export.interval=500
                    """.formatted(collector),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return with("mpTelemetry");
    }

    /** Writes the console log as JSON, and logs an entry for each message. */
    public LibertyServer tellingAllInJson() {
        return edit(
                "server.xml",
                "</server>",
                "<logging consoleFormat=\"json\" consoleSource=\"message,trace\""
                        + " traceSpecification=\"*=info:dev.cdioutbox.message=fine\" /></server>");
    }

    /** Adds classes of the tests to the sample. */
    public LibertyServer adding(Class<?>... classes) {
        addTo(home.resolve("apps/sample.war"), classes);
        return this;
    }

    /** Adds classes of the tests to a WAR. */
    public static void addTo(Path file, Class<?>... classes) {
        try (FileSystem war = FileSystems.newFileSystem(file)) {
            for (Class<?> added : classes) {
                String path = "/" + added.getName().replace('.', '/') + ".class";
                Path target = war.getPath("WEB-INF/classes" + path);
                Files.createDirectories(target.getParent());
                try (InputStream bytes = added.getResourceAsStream(path)) {
                    Files.copy(bytes, target);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets variables of the environment from the next start on. */
    public LibertyServer with(Map<String, String> environment) {
        this.environment.putAll(environment);
        return this;
    }

    /** Adds an element to server.xml. */
    public LibertyServer withElement(String element) {
        return edit("server.xml", "</server>", element + "</server>");
    }

    /** Replaces a text file of the sample. */
    public LibertyServer with(String file, String text) {
        try (FileSystem war = FileSystems.newFileSystem(home.resolve("apps/sample.war"))) {
            Files.writeString(war.getPath(file), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Removes Jakarta Validation, and the class of the sample that refers to it. */
    public LibertyServer withoutValidation() {
        try (FileSystem war = FileSystems.newFileSystem(home.resolve("apps/sample.war"))) {
            Files.delete(war.getPath("WEB-INF/classes/dev/cdioutbox/sample/ConstraintViolationMapper.class"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return edit("server.xml", "<feature>beanValidation</feature>", "");
    }

    /** Shows third-party APIs of Liberty to the sample. A running server restarts the sample. */
    public LibertyServer showingThirdPartyApis() {
        return edit(
                "server.xml",
                "contextRoot=\"/\">",
                "contextRoot=\"/\"><classloader apiTypeVisibility=\"+third-party\" />");
    }

    /** Lets this user of the sample's registry stand for a role of {@code @RunAs}. */
    public LibertyServer runningAs(String role, String user) {
        return edit("server.xml", "<application-bnd>", """
                <application-bnd>
                  <security-role name="%s">
                    <user name="%s" />
                    <run-as userid="%s" password="${console.password}" />
                  </security-role>""".formatted(role, user, user));
    }

    /** Opens the H2 database for the tests too, while the server runs. */
    public LibertyServer sharingItsDatabase() {
        return edit("cdi-outbox/datasource-h2.xml", ";DB_CLOSE_ON_EXIT=FALSE", ";AUTO_SERVER=TRUE");
    }

    /** Puts the tables into the given H2 server, which a test can stop. */
    public LibertyServer on(H2Server database) {
        String fragment = "cdi-outbox/datasource-h2.xml";
        // H2 reports a closed connection with 90067. Without this entry Liberty keeps such a connection in the pool.
        edit(fragment, "</dataSource>", "<identifyException sqlState=\"90067\" as=\"StaleConnection\" /></dataSource>");
        return edit(fragment, "jdbc:h2:file:${cdioutbox.h2.file}", database.url());
    }

    /** Limits the heap of the server's JVM, for example to {@code 256m}. */
    public LibertyServer withHeap(String size) {
        return edit("jvm.options", "-Xmx512m", "-Xmx" + size);
    }

    /** Compiles and collects as a server in production, not as one that lives for a minute. */
    public LibertyServer optimizing() {
        return edit("jvm.options", "-XX:TieredStopAtLevel=1", "-Xms512m").edit("jvm.options", "-XX:+UseSerialGC", "");
    }

    /** The CPU time of all processes of the server. */
    public Duration cpu() {
        return CpuTime.of(process.toHandle());
    }

    /** Removes application security: the server asks for no login. */
    public LibertyServer withoutSecurity() {
        return edit("server.xml", "<feature>appSecurity</feature>", "");
    }

    /** Adds a web.xml to the sample that opens this path to each user with a name and a password. */
    public LibertyServer lettingAnyUserTo(String pattern) {
        try (FileSystem war = FileSystems.newFileSystem(home.resolve("apps/sample.war"))) {
            Files.writeString(war.getPath("WEB-INF/web.xml"), """
                    <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
                      <security-constraint>
                        <web-resource-collection>
                          <web-resource-name>everything</web-resource-name>
                          <url-pattern>%s</url-pattern>
                        </web-resource-collection>
                        <auth-constraint>
                          <role-name>**</role-name>
                        </auth-constraint>
                      </security-constraint>
                    </web-app>""".formatted(pattern));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Adds a user without a role to the sample's registry; the name is also the password. */
    public LibertyServer withUser(String name) {
        return edit(
                "server.xml",
                "</basicRegistry>",
                "<user name=\"%1$s\" password=\"%1$s\" /></basicRegistry>".formatted(name));
    }

    /** Replaces a text in a configuration file. A running server applies the change. */
    public LibertyServer edit(String file, String from, String to) {
        Path xml = home.resolve(file);
        try {
            String text = Files.readString(xml);
            if (!text.contains(from)) {
                throw new IllegalArgumentException(from + " is not in " + file);
            }
            Files.writeString(xml, text.replace(from, to));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** The names of the server's threads. */
    public List<String> threads() {
        return processes().stream()
                .filter(ThreadDumps::isJava)
                .flatMap(java -> ThreadDumps.of(java.pid()).lines())
                .filter(line -> line.startsWith("\""))
                .toList();
    }

    /** Collects the garbage of the server's JVM. Returns the bytes of its heap that are in use afterwards. */
    public long heapAfterCollection() {
        long pid = processes().stream()
                .filter(ThreadDumps::isJava)
                .findFirst()
                .orElseThrow()
                .pid();
        Jcmd.answer(pid, "GC.run");
        String heap = Jcmd.answer(pid, "GC.heap_info");
        Matcher used = HEAP_USED.matcher(heap);
        if (!used.find()) {
            throw new IllegalStateException(heap);
        }
        return Long.parseLong(used.group(1)) << 10;
    }

    public String name() {
        return name;
    }

    public URI url(String path) {
        return URI.create("http://localhost:" + port + path);
    }

    /** Sets a variable of server.xml. A running server applies the change without a restart. */
    public LibertyServer set(String variable, String value) {
        return value.equals(variables.put(variable, value)) ? this : writeVariables();
    }

    /** Takes back a {@link #set}. */
    public LibertyServer unset(String variable) {
        return variables.remove(variable) == null ? this : writeVariables();
    }

    private LibertyServer writeVariables() {
        String xml = variables.entrySet().stream()
                .map(v -> "  <variable name=\"%s\" value=\"%s\" />%n".formatted(v.getKey(), v.getValue()))
                .collect(Collectors.joining("", "<server>%n".formatted(), "</server>%n".formatted()));
        try {
            Path overrides = Files.createDirectories(home.resolve("configDropins/overrides"));
            Path written = Files.writeString(usr.resolve("test.xml"), xml);
            Files.move(
                    written,
                    overrides.resolve("test.xml"),
                    StandardCopyOption.REPLACE_EXISTING,
                    StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Starts the process and waits until the application answers. */
    public LibertyServer start() {
        return launch("the application on " + url("/"), this::answers);
    }

    /** Starts the process and waits until the log contains the text. The application need not answer. */
    public LibertyServer startUntilLogged(String text) {
        return launch("'" + text + "'", () -> log().contains(text));
    }

    /** Starts a process that ends by itself, and waits for its end. */
    public void startUntilItDies() {
        launch("its end", () -> true);
        awaitDeath();
    }

    /** Waits until the process has ended by itself. */
    public void awaitDeath() {
        await("the end of " + name).atMost(Patience.LONG).until(() -> !process.isAlive());
        process.descendants().forEach(ProcessHandle::destroyForcibly);
    }

    private LibertyServer launch(String what, BooleanSupplier started) {
        process = command("run", name);
        try {
            await(what + ", log " + usr.resolve("console.log"))
                    .atMost(Patience.LONG)
                    .pollInterval(Duration.ofMillis(100))
                    .failFast("the server has ended", () -> !process.isAlive())
                    .until(started::getAsBoolean);
        } catch (RuntimeException e) {
            if (process.isAlive()) {
                ThreadDumps.printAll("the start of " + name);
            }
            // The caller gets no server that it could close.
            close();
            throw e;
        }
        return this;
    }

    /** Resumes a message-driven bean, as an operator would do it on the command line. */
    public void resume(String endpoint) {
        Process resume = command("resume", name, "--target=" + endpoint);
        await("server resume").atMost(Patience.LONG).until(() -> !resume.isAlive());
        if (resume.exitValue() != 0) {
            throw new IllegalStateException("server resume ended with " + resume.exitValue());
        }
    }

    /** Starts the command {@code server}, which writes to the console log. */
    private Process command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("liberty.home"), "bin", "server").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("WLP_USER_DIR", usr.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().remove("WLP_OUTPUT_DIR");
        builder.environment().putAll(environment);
        builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        usr.resolve("console.log").toFile()));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean answers() {
        return Http.answers(url(probe));
    }

    /** kill -9: no shutdown hook runs and no buffer is flushed. */
    public void kill() {
        processes().forEach(ProcessHandle::destroyForcibly);
        awaitEnd();
    }

    /** Stops the server in an orderly way, as a signal of the operating system would. */
    public void stop() {
        processes().forEach(ProcessHandle::destroy);
        awaitEnd();
    }

    /** Brings the sample back after {@link #undeploy}. A running server starts it. */
    public void deploy() {
        try {
            Files.move(undeployed(), application());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replaces the sample by a newer copy of the same name. A running server restarts the sample. */
    public void update() {
        try {
            Path newer = Files.copy(application(), usr.resolve("newer.war"), StandardCopyOption.REPLACE_EXISTING);
            Files.move(newer, application(), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Renames the sample's file, as for a new version. A running server stops the old application and starts the new
     * one.
     */
    public void rename(String war) {
        String before = module;
        try {
            Files.move(application(), home.resolve("apps").resolve(war));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        module = war.replace(".war", "");
        edit("server.xml", "location=\"" + before + ".war\"", "location=\"" + war + "\"");
        // The id of an activation specification begins with the name of the module, and that is the name of the file.
        edit("server.xml", "\"" + before + "/ShippingBean\"", "\"" + module + "/ShippingBean\"");
    }

    /** Removes the sample. A running server stops it. */
    public void undeploy() {
        try {
            Files.move(application(), undeployed());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path undeployed() {
        return usr.resolve("undeployed.war");
    }

    private Path application() {
        return home.resolve("apps").resolve(module + ".war");
    }

    /** Opens the sample's database; call this only while the server is stopped. */
    public Connection connection() throws SQLException {
        return DriverManager.getConnection(databaseUrl(), "sa", "");
    }

    public String databaseUrl() {
        return "jdbc:h2:file:" + home.resolve("data/outbox");
    }

    /** Returns all that the server has written to its console log. */
    public String log() {
        try {
            return Files.readString(usr.resolve("console.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (process != null && process.isAlive()) {
            kill();
        }
    }

    private List<ProcessHandle> processes() {
        return Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(Patience.LONG.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IllegalStateException("the server has not ended");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
    }

    /** Creates an empty folder for the files of a process. */
    static Path fresh(String name) throws IOException {
        Path folder = Path.of(System.getProperty("test.processes"), name);
        delete(folder);
        return Files.createDirectories(folder);
    }

    /** Returns a port of this host on which no process listens. */
    public static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
