package dev.cdioutbox.tests.bench;

import static dev.cdioutbox.tests.bench.Messaging.ACTIVEMQ;
import static dev.cdioutbox.tests.bench.Messaging.KAFKA;
import static dev.cdioutbox.tests.bench.Messaging.LIBERTY;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The figures in the tables for users, those of the README included: the medians of what the last published run of each row measured. A row of such a
 * table begins with a name from {@link #FIGURES}, which may go on in its second cell, and has these figures in this order.
 */
final class PublishedFigures {
    private static final String NO_EVENTS = "no events";
    private static final String ROWS_BY_HAND = "hand-written rows, one JDBC batch";
    private static final String XA_SEND = "XA send";
    private static final String RAW_LOOP = "raw JMS loop, batches of 500";
    private static final String WOKEN_BY_HAND = "hand-written outbox, woken by the commit";
    private static final String RAW_SEND = "raw JMS send";
    private static final String AT_LEAST_ONCE = "at-least-once";
    private static final String CPU = "CPU of all processes at 200/s";

    // With what a row compares, in its second cell.
    private static final String WITHOUT = " | the same transactions without events";
    private static final String BY_HAND = " | hand-written outbox rows";
    private static final String PLAIN_SEND = " | a plain JMS send";
    private static final String WOKEN = " | a hand-written outbox that is woken by the commit";
    private static final String EXACTLY_ONCE_TO_KAFKA =
            "sending a backlog to Kafka, `exactly-once`, always on one thread";

    private static final Map<String, List<Figure>> FIGURES = Map.ofEntries(
            Map.entry(
                    "transactions with one event, one thread" + WITHOUT, both(LIBERTY, Row.R1, "1 thread", NO_EVENTS)),
            Map.entry(
                    "transactions with one event, one thread" + BY_HAND,
                    both(LIBERTY, Row.R1, "1 thread", ROWS_BY_HAND)),
            Map.entry(
                    "time of a transaction with one event, one thread",
                    List.of(
                            milliseconds(ours(LIBERTY, Row.R1, "1 thread", NO_EVENTS)),
                            milliseconds(other(LIBERTY, Row.R1, "1 thread", NO_EVENTS)))),
            Map.entry(
                    "transactions with one event, eight threads" + WITHOUT,
                    both(LIBERTY, Row.R1, "8 threads", NO_EVENTS)),
            Map.entry(
                    "transactions with one event, eight threads" + BY_HAND,
                    both(LIBERTY, Row.R1, "8 threads", ROWS_BY_HAND)),
            Map.entry(
                    "transactions with ten events, one thread" + WITHOUT, both(LIBERTY, Row.R2, "1 thread", NO_EVENTS)),
            Map.entry(
                    "transactions with ten events, one thread" + BY_HAND,
                    both(LIBERTY, Row.R2, "1 thread", ROWS_BY_HAND)),
            Map.entry(
                    "transactions with ten events, eight threads" + WITHOUT,
                    both(LIBERTY, Row.R2, "8 threads", NO_EVENTS)),
            Map.entry(
                    "transactions with ten events, eight threads" + BY_HAND,
                    both(LIBERTY, Row.R2, "8 threads", ROWS_BY_HAND)),
            Map.entry(
                    "transactions with one event, while the events are delivered, one thread",
                    both(LIBERTY, Row.R3, "1 thread, as its callers see it", XA_SEND)),
            Map.entry(
                    "transactions with one event, while the events are delivered, eight threads",
                    both(LIBERTY, Row.R3, "8 threads, as its callers see it", XA_SEND)),
            Map.entry(
                    "transactions with one event in a plain JVM",
                    both(KAFKA, Row.K3, "business transactions", "dispatch at-least-once")),
            Map.entry("sending a backlog to Liberty's messaging", both(LIBERTY, Row.R4, "dispatch", RAW_LOOP)),
            Map.entry("sending a backlog to ActiveMQ, on two threads", both(ACTIVEMQ, Row.R4, "dispatch", RAW_LOOP)),
            Map.entry(
                    "sending a backlog to ActiveMQ, on one thread",
                    both(ACTIVEMQ, Row.R4, "dispatch, concurrency=1", RAW_LOOP)),
            Map.entry(
                    EXACTLY_ONCE_TO_KAFKA + " | the outbox with `at-least-once`, on two threads",
                    both(KAFKA, Row.K2, "exactly-once", AT_LEAST_ONCE)),
            Map.entry(
                    EXACTLY_ONCE_TO_KAFKA + " | the outbox with `at-least-once`, on one thread",
                    both(KAFKA, Row.K2, "exactly-once", AT_LEAST_ONCE + ", concurrency=1")),
            Map.entry(
                    "latency at 200 events a second" + PLAIN_SEND, both(LIBERTY, Row.R8, "median at 200/s", RAW_SEND)),
            Map.entry(
                    "latency at 200 events a second" + WOKEN, both(LIBERTY, Row.R8, "median at 200/s", WOKEN_BY_HAND)),
            Map.entry("latency at 10 events a second" + PLAIN_SEND, both(LIBERTY, Row.R8, "median at 10/s", RAW_SEND)),
            Map.entry("latency at 10 events a second" + WOKEN, both(LIBERTY, Row.R8, "median at 10/s", WOKEN_BY_HAND)),
            Map.entry(
                    "latency with ActiveMQ, at 200 events a second" + PLAIN_SEND,
                    both(ACTIVEMQ, Row.R8, "median at 200/s", RAW_SEND)),
            Map.entry(
                    "latency with ActiveMQ, at 200 events a second" + WOKEN,
                    both(ACTIVEMQ, Row.R8, "median at 200/s", WOKEN_BY_HAND)),
            Map.entry(
                    "latency with ActiveMQ, at 10 events a second" + PLAIN_SEND,
                    both(ACTIVEMQ, Row.R8, "median at 10/s", RAW_SEND)),
            Map.entry(
                    "latency with ActiveMQ, at 10 events a second" + WOKEN,
                    both(ACTIVEMQ, Row.R8, "median at 10/s", WOKEN_BY_HAND)),
            Map.entry(
                    "latency of [change data capture](howto/cdc.md) to Kafka, at 200 events a second",
                    both(KAFKA, Row.K3, "median at 200/s", "Debezium with a hand-written table")),
            Map.entry(
                    "CPU of all processes for an event, at 200 events a second | an XA send",
                    both(LIBERTY, Row.R17, CPU, XA_SEND)),
            Map.entry(
                    "CPU of all processes for an event, at 200 events a second" + WOKEN,
                    both(LIBERTY, Row.R17, CPU, WOKEN_BY_HAND)),
            Map.entry(
                    "bytes in the database's log for each byte of payload, in full batches",
                    List.of(count(Row.R18, "8 threads, as fast as they can"))),
            Map.entry(
                    "bytes in the database's log for each byte of payload, if each message is sent alone",
                    List.of(count(Row.R18, "1 thread, 200/s"))),
            Map.entry(
                    "statements a second of an idle server with two destinations",
                    List.of(count(Row.R12, "statements, two destinations"))),
            Map.entry("CPU of an idle server with two destinations", List.of(count(Row.R12, "CPU of all processes"))),
            Map.entry(
                    "200 destinations |",
                    List.of(new Figure(
                            LIBERTY,
                            Row.R20,
                            "dispatch to 200 destinations, 60,000 messages",
                            "one destination",
                            null,
                            1))),
            Map.entry("1 JMS destination", idle("1 JMS destination")),
            Map.entry("50 JMS destinations", idle("50 JMS destinations")),
            Map.entry("200 JMS destinations", idle("200 JMS destinations")),
            Map.entry("1,000 JMS destinations", idle("1,000 JMS destinations")),
            Map.entry("1 Kafka destination", idle("1 Kafka destination")),
            Map.entry("50 Kafka destinations", idle("50 Kafka destinations")),
            Map.entry("200 Kafka destinations", idle("200 Kafka destinations")),
            Map.entry("1,000 Kafka destinations", idle("1,000 Kafka destinations")),
            Map.entry("one event in each transaction, eight threads", both(LIBERTY, Row.R1, "8 threads", NO_EVENTS)),
            Map.entry("ten events in each transaction, eight threads", both(LIBERTY, Row.R2, "8 threads", NO_EVENTS)),
            Map.entry(
                    "from the commit to the consumer, at 200 events",
                    List.of(ours(LIBERTY, Row.R8, "median at 200/s", RAW_SEND))),
            Map.entry("a backlog, sent by one node", List.of(ours(LIBERTY, Row.R4, "dispatch", RAW_LOOP))),
            Map.entry("JMS to ActiveMQ", withAThird(ours(ACTIVEMQ, Row.R4, "dispatch", RAW_LOOP))),
            Map.entry("JMS to Liberty's own messaging", withAThird(ours(LIBERTY, Row.R4, "dispatch", RAW_LOOP))),
            Map.entry("Kafka, `exactly-once`", withAThird(ours(KAFKA, Row.K2, "exactly-once", AT_LEAST_ONCE))),
            Map.entry("Kafka, `at-least-once`", withAThird(other(KAFKA, Row.K2, "exactly-once", AT_LEAST_ONCE))));

    private static final Pattern ROW = Pattern.compile("(?m)^\\| (.+?) \\|(.*)$");
    private static final Pattern NUMBER = Pattern.compile("(?<![\\w.,#-])\\d[\\d,]*(?:\\.\\d+)?(?![\\w-])");
    private static final MathContext DIGITS = new MathContext(3);

    private final Map<Messaging, Map<Row, Result>> results;

    PublishedFigures(Map<Messaging, Map<Row, Result>> results) {
        this.results = results;
    }

    /** A figure of a comparison, or of a part of it. */
    private record Figure(
            Messaging broker, Row row, String what, String over, ToDoubleFunction<Pairs.Pair> side, double divisor) {}

    private static Figure ours(Messaging broker, Row row, String what, String over) {
        return new Figure(broker, row, what, over, Pairs.Pair::ours, 1);
    }

    private static Figure other(Messaging broker, Row row, String what, String over) {
        return new Figure(broker, row, what, over, Pairs.Pair::other, 1);
    }

    /** What a transaction takes, of a figure that counts transactions a second on one thread. */
    private static Figure milliseconds(Figure rate) {
        return new Figure(
                rate.broker(),
                rate.row(),
                rate.what(),
                rate.over(),
                pair -> 1000 / rate.side().applyAsDouble(pair),
                1);
    }

    /** A figure that is compared with nothing. */
    private static Figure count(Row row, String what) {
        return new Figure(LIBERTY, row, what, "", null, 1);
    }

    private static List<Figure> idle(String destinations) {
        return Stream.of("statements", "CPU", "heap", "start of the application")
                .map(what -> count(Row.R20, destinations + ": " + what))
                .toList();
    }

    private static List<Figure> both(Messaging broker, Row row, String what, String over) {
        return List.of(ours(broker, row, what, over), other(broker, row, what, over));
    }

    private static List<Figure> withAThird(Figure whole) {
        return List.of(whole, new Figure(whole.broker(), whole.row(), whole.what(), whole.over(), whole.side(), 3));
    }

    /** Writes the figures into the tables of a page. */
    String into(String page) {
        return ROW.matcher(page)
                .replaceAll(row -> Matcher.quoteReplacement(FIGURES.entrySet().stream()
                        .filter(figures -> row.group().startsWith("| " + figures.getKey()))
                        .findFirst()
                        .map(figures -> "| " + row.group(1) + " |" + withFigures(row.group(2), figures.getValue()))
                        .orElse(row.group())));
    }

    private String withFigures(String cells, List<Figure> figures) {
        Iterator<Figure> next = figures.iterator();
        String text = NUMBER.matcher(cells).replaceAll(number -> text(next.next()));
        if (next.hasNext()) {
            throw new IllegalArgumentException("fewer than " + figures.size() + " figures in" + cells);
        }
        return text;
    }

    private String text(Figure figure) {
        Result.Comparison comparison = results.get(figure.broker()).get(figure.row()).comparisons().stream()
                .filter(line -> line.what().equals(figure.what()) && line.over().equals(figure.over()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("not measured: " + figure));
        double value = figure.side() == null
                ? comparison.ratio().median()
                : median(comparison.pairs().stream()
                        .map(pair -> figure.side().applyAsDouble(pair))
                        .collect(Collectors.toList()));
        double inMilliseconds = comparison.unit().equals("µs") ? value / 1000 : value;
        // A third is that of the rounded figure, so that readers who divide get it too.
        double rounded = (inMilliseconds < 100 ? inMilliseconds : threeDigits(inMilliseconds)) / figure.divisor();
        return rounded < 100
                ? String.format(Locale.ROOT, rounded < 1 ? "%.2f" : "%.1f", rounded)
                : String.format(Locale.ROOT, "%,d", (long) threeDigits(rounded));
    }

    private static double threeDigits(double value) {
        return new BigDecimal(value).round(DIGITS).doubleValue();
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
