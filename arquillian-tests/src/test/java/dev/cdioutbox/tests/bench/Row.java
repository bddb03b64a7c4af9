package dev.cdioutbox.tests.bench;

/** The rows of the benchmark. Each test method with {@link Benchmark} measures one of them. */
enum Row {
    NOISE("equal blocks: the ratio that noise alone gives", null),
    R1("business transactions with one event", Target.atLeast(.80, .90)),
    R2("business transactions with ten events", Target.atLeast(.75, .85)),
    R3("business transactions with the outbox, over a direct XA send", Target.atLeast(1.3, 2)),
    R4("dispatch, over a raw loop of JMS sends of the same batch size", Target.atLeast(.70, .85)),
    R5("exactly-once, over at-least-once", Target.atLeast(.75, .90)),
    R6("the engine with a transport that does nothing, over a hand-written JDBC loop", Target.atLeast(.85, 1)),
    R7("drain of a backlog, over other ways to do it", Target.atLeast(4, 8)),
    R8("median latency from commit to consumer, over a hand-written outbox", Target.atMost(1.5, 1.25)),
    R9("99th percentile of the latency, over the median, at 30 % of the highest rate", Target.atMost(10, 5)),
    R10("dispatch with many published rows kept, over few", Target.atLeast(.90, .97)),
    R11("the last tenth of a long drain, over the first, with a heap of 256 MB", Target.atLeast(.85, .95)),
    R12("cost of an idle outbox", Target.atMost(1, .3)),
    R13("several dispatchers, over one", Target.atLeast(.80, 1.15)),
    R14("rate while a reader holds a snapshot, over the rate without", Target.atLeast(.80, .95)),
    R15("time to catch up after an outage, over backlog divided by the highest rate", Target.atMost(2, 1.2)),
    R16("99th percentile of the keys of other partitions while one key drains, over without", Target.atMost(3, 2)),
    R17("CPU of all processes at 200 events/s, over a hand-written outbox", Target.atMost(1.6, 1.3)),
    R18("WAL bytes from commit to settled, over the payload's", Target.atMost(2.2, 1.9)),
    R19("bytes allocated in the JVM for an event", null),
    K1("dispatch to Kafka, over a raw transactional producer with the same batches", Target.atLeast(.5, .8)),
    K2("exactly-once to Kafka, over at-least-once", Target.atLeast(.75, .90)),
    K3(
            "capture by the log: business transactions over dispatch, and latency over a hand-written table",
            Target.atLeast(1.1, 1.3)),
    H1(
            "handlers per second, over a hand-written loop that locks a row, calls the bean and deletes the row",
            Target.atLeast(.7, .9)),
    H2(
            "business transactions with a handler until all of its work is committed, over gruelbox",
            Target.atLeast(1.5, 2)),
    GROWTH("dispatch by payload, keys and destinations", null);

    private final String title;
    private final Target target;

    Row(String title, Target target) {
        this.title = title;
        this.target = target;
    }

    /** Returns the measured thing, in words. */
    String title() {
        return title;
    }

    /** Returns the limits of the row's ratio; null for the noise, the growth and what is only counted. */
    Target target() {
        return target;
    }
}
