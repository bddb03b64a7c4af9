package dev.cdioutbox.tests.bench;

import static dev.cdioutbox.tests.bench.Engine.KEYS;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.cdioutbox.kafka.Broker;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.sample.Noted;
import dev.cdioutbox.tests.sample.NotingServlet;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.PostgresServer;

/** The row of many destinations: how fast a backlog for all of them is sent, and what a server without work costs. */
class DestinationRows {
    private static final int[] NUMBERS = {1, 50, 200, 1_000};
    private static final int MANY = 200;
    /** The backlog for each second of a block: about as many messages as one dispatcher delivers to one destination. */
    private static final int PER_SECOND = 20_000;

    /** With 0 the dispatcher would refuse exactly-once. */
    private static final int PREPARED_TRANSACTIONS = 200;

    private static final Pattern STARTED = Pattern.compile("CWWKZ0001I.* ([0-9.]+) seconds");
    private static final double MIB = 1 << 20;

    private final Form form = Form.chosen().ofFewPairs();

    @Benchmark(Row.R20)
    void manyDestinations() throws Exception {
        Result result = new Result(Row.R20, form)
                .note("broker", "a no-op transport, for idle servers Liberty's messaging and Kafka");
        drain(result);
        for (int destinations : NUMBERS) {
            idle(result, "JMS", destinations, Map.of("jndi", "jms/outbox"));
        }
        try (Broker broker = new Broker(Files.createTempDirectory(Path.of("target"), "destinations"))) {
            broker.create("notes", Map.of());
            broker.create("outbox-markers", Map.of("cleanup.policy", "compact"));
            for (int destinations : NUMBERS) {
                idle(
                        result,
                        "Kafka",
                        destinations,
                        Map.of("transport", "kafka", "topic", "notes", "kafka.bootstrap.servers", broker.address()));
            }
        }
        result.write();
    }

    /**
     * The engine alone, with a transport that does nothing. The messages of one of many destinations lie among those of the
     * others. To tell what that costs, the third engine claims its one destination in parts of as many keys.
     */
    private void drain(Result result) throws Exception {
        try (PostgresServer database = new PostgresServer()
                        .with("fsync", "on")
                        .with("shared_buffers", "512MB")
                        .with("max_wal_size", "4GB")
                        .start(PREPARED_TRANSACTIONS);
                Engine one = new Engine(database, "one_");
                Engine scattered = new Engine(
                        database,
                        "scattered_",
                        "outbox.partitions",
                        "1024",
                        "outbox.dispatcher.max-partitions",
                        String.valueOf(Engine.TEMPLATE_ROWS / MANY));
                Engine many = new Engine(database, "many_", MANY)) {
            for (int times : new int[] {1, 4}) {
                String what = "dispatch to %d destinations, %,d messages"
                        .formatted(MANY, times * PER_SECOND * form.block().toSeconds());
                Block ours = drain(many, times);
                Target target = times == 1 ? Row.R20.target() : null;
                result.add(what, "one destination", "messages/s", Pairs.measure(form, ours, drain(one, times)), target)
                        .add(
                                what,
                                "one destination, claimed in as small parts",
                                "messages/s",
                                Pairs.measure(form, ours, drain(scattered, times)),
                                null);
            }
        }
    }

    private static Block drain(Engine engine, int times) {
        return time -> {
            long messages = times * PER_SECOND * time.toSeconds();
            engine.clear();
            engine.copy(KEYS, messages);
            return engine.drain(1, messages).rate();
        };
    }

    /** @param settings of each destination */
    private void idle(Result result, String transport, int destinations, Map<String, String> settings)
            throws Exception {
        try (PostgresServer database = new PostgresServer()
                        .with("fsync", "on")
                        .with("shared_preload_libraries", "pg_stat_statements")
                        .start(PREPARED_TRANSACTIONS);
                LibertyServer server = server(database, destinations, settings)) {
            database.update("CREATE EXTENSION pg_stat_statements");
            double untilItAnswers = seconds(server::start);
            Thread.sleep(form.withLongWarmUp().warmUp().toMillis());
            List<Idle> idle = new ArrayList<>();
            for (int i = 0; i < form.pairs(); i++) {
                idle.add(Idle.measure(form, database, () -> server.cpu().plus(database.cpu())));
            }
            long heap = server.heapAfterCollection();
            int threads = server.threads().size();
            Matcher started = STARTED.matcher(server.log());
            if (!started.find()) {
                throw new IllegalStateException("no CWWKZ0001I in the log of " + server.name());
            }
            double stopped = seconds(server::stop);

            String of = "%,d %s destination%s: ".formatted(destinations, transport, destinations == 1 ? "" : "s");
            result.add(of + "statements", "1/s", Idle.interval(idle, Idle::statements), null)
                    .add(of + "CPU", "% of a core", Idle.interval(idle, Idle::cpu), null)
                    .add(of + "log", "bytes/s", Idle.interval(idle, Idle::walBytes), null)
                    .add(of + "heap", "MiB", Interval.of(heap / MIB), null)
                    .add(of + "threads", "threads", Interval.of(threads), null)
                    .add(of + "start of the application", "s", Interval.of(Double.parseDouble(started.group(1))), null)
                    .add(of + "start of the server", "s", Interval.of(untilItAnswers), null)
                    .add(of + "stop of the server", "s", Interval.of(stopped), null);
        }
    }

    private static LibertyServer server(PostgresServer database, int destinations, Map<String, String> settings)
            throws Exception {
        String variables = IntStream.range(0, destinations)
                .mapToObj(i -> i == 0 ? "default" : "d" + i)
                .flatMap(name -> settings.entrySet().stream()
                        .map(setting -> "<variable name=\"outbox.destinations.%s.%s\" value=\"%s\" />"
                                .formatted(name, setting.getKey(), setting.getValue())))
                .collect(Collectors.joining("\n"));
        return LibertyServer.sample("destinations", "many-destinations.xml")
                .running(
                        Deployments.withKafka(Deployments.bare("sample.war"))
                                .addClasses(Noted.class, NotingServlet.class),
                        "/note")
                .withElement(variables)
                .set("cdioutbox.postgresql.port", String.valueOf(database.port()))
                .set("cdioutbox.postgresql.database", "postgres")
                .set("cdioutbox.postgresql.user", "postgres")
                .optimizing();
    }

    private static double seconds(Runnable work) {
        long begun = System.nanoTime();
        work.run();
        return (double) Duration.ofNanos(System.nanoTime() - begun).toMillis() / TimeUnit.SECONDS.toMillis(1);
    }
}
