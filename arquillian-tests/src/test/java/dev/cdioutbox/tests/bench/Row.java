package dev.cdioutbox.tests.bench;

/** The rows of the benchmark. Each test method with {@link Benchmark} measures one of them. */
enum Row {
    NOISE(
            "A block, compared with the same block. The distance of the ratio from 1 is the noise of the "
                    + "measurement",
            null),
    R1(
            "How many transactions per second fire one event, compared with transactions that insert one "
                    + "row into a hand-written outbox table",
            Target.atLeast(.80, .90)),
    R2(
            "How many transactions per second fire ten events, compared with transactions that insert ten "
                    + "rows into a hand-written outbox table",
            Target.atLeast(.75, .85)),
    R3(
            "How many transactions per second fire an event while the outbox sends the events, compared "
                    + "with transactions that send the message themselves, with XA",
            Target.atLeast(1.3, 2)),
    R4(
            "How many messages per second the outbox sends from a backlog, compared with a loop that only "
                    + "sends with JMS, in batches of the same size",
            Target.atLeast(.70, .85)),
    R5(
            "How many messages per second the outbox sends with `exactly-once`, compared with `at-least-once`",
            Target.atLeast(.75, .90)),
    R6(
            "How many messages per second the engine handles with a no-op transport, compared with a "
                    + "hand-written JDBC loop",
            Target.atLeast(.85, 1)),
    R7(
            "How many messages per second the outbox sends from a backlog, compared with two hand-written "
                    + "pollers and with gruelbox",
            Target.atLeast(4, 8)),
    R8(
            "The median time from the commit to the consumer, compared with a hand-written outbox that is"
                    + " woken by the commit. With ActiveMQ, it is still compared with a plain JMS send",
            Target.atMost(1.5, 1.25)),
    R9(
            "The 99th percentile of the time from the commit to the consumer, compared with the median, "
                    + "at 30 % of the highest rate",
            Target.atMost(10, 5)),
    R10(
            "How many messages per second the outbox sends while it keeps 100,000 published messages, "
                    + "compared with 1,000 published messages",
            Target.atLeast(.90, .97)),
    R11(
            "How many messages per second the outbox sends in the last tenth of a long backlog, compared "
                    + "with the first tenth, with a heap of 256 MB",
            Target.atLeast(.85, .95)),
    R12("How many statements per second an idle server with two destinations executes", Target.atMost(1, .3)),
    R13(
            "How many messages per second several dispatchers send together, compared with one dispatcher",
            Target.atLeast(.80, 1.15)),
    R14(
            "How many messages per second the outbox sends while another session holds an old snapshot of "
                    + "the database, compared with the rate without that session",
            Target.atLeast(.80, .95)),
    R15(
            "How long the outbox needs to catch up after 20 s without the broker, compared with the "
                    + "backlog divided by the highest rate",
            Target.atMost(2, 1.2)),
    R16(
            "The 99th percentile of the time that messages of other partitions take while one key has a "
                    + "long backlog, compared with the time without that backlog",
            Target.atMost(3, 2)),
    R17(
            "The CPU time of all processes for an event, at 200 events a second, compared with a "
                    + "hand-written outbox that is woken by the commit. With ActiveMQ, it is still compared with an"
                    + " XA send",
            Target.atMost(1.6, 1.3)),
    R18(
            "How many bytes PostgreSQL writes to its log for each byte of payload, from the commit of a "
                    + "message until it is settled",
            Target.atMost(2.2, 1.9)),
    R19("How many bytes the JVM allocates for an event. This is not compared with anything", null),
    R20(
            "How many messages per second the outbox sends to 200 destinations, compared with one. What an idle server with"
                    + " 1, 50, 200 and 1,000 destinations costs is counted",
            Target.atLeast(.70, .90)),
    K1(
            "How many messages per second the outbox sends to Kafka from a backlog, compared with a "
                    + "transactional producer that has no database, in batches of the same size",
            Target.atLeast(.5, .8)),
    K2(
            "How many messages per second the outbox sends to Kafka with `exactly-once`, compared with "
                    + "`at-least-once`",
            Target.atLeast(.75, .90)),
    K3(
            "How many transactions per second fire an event with change data capture, compared with the "
                    + "dispatcher. The median latency is compared with Debezium and a hand-written table; there, "
                    + "lower is better",
            Target.atLeast(1.1, 1.3)),
    H1(
            "How many handlers per second the outbox calls, compared with a hand-written loop of two threads "
                    + "that locks a row, calls the bean and deletes the row",
            Target.atLeast(.7, .9)),
    H2(
            "How many transactions per second fire an event for a handler, until all of its work is committed,"
                    + " compared with gruelbox",
            Target.atLeast(1.5, 2)),
    GROWTH(
            "How many messages per second the outbox sends with other sizes of the payload, and with one key, "
                    + "compared with 1 KiB and 1,000 keys",
            null);

    private final String title;
    private final Target target;

    Row(String title, Target target) {
        this.title = title;
        this.target = target;
    }

    /** Returns what is measured and what it is compared with, in Markdown. */
    String title() {
        return title;
    }

    /** Returns the limits of the row's ratio; null for the noise, the growth and what is only counted. */
    Target target() {
        return target;
    }
}
