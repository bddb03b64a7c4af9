package dev.cdioutbox.tests.bench;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The row that needs a broker that goes away. Liberty's own messaging would take the server with it, so it is ActiveMQ. */
class OutageRows {
    /** The part of the highest rate at which events arrive during the outage. */
    private static final double LOAD = .3;

    private static final int THREADS = 8;
    /** Messages: the dispatcher sends them for some seconds. */
    private static final int BACKLOG = 30_000;
    /** How much faster than during the outage the other block stores the same backlog. Its time begins after that. */
    private static final int FASTER = 4;

    private final Form form = Form.chosen();
    private final boolean isShort = form.name().equals(Form.SHORT.name());
    private BenchServer bench;
    private int eventsPerSecond;

    @Benchmark(Row.R15)
    void brokerIsAway() throws Exception {
        Form outages = new Form(
                form.name(), isShort ? 1 : 3, isShort ? Duration.ofSeconds(20) : Duration.ofMinutes(1), form.warmUp());
        try (BenchServer started = new BenchServer(Messaging.ACTIVEMQ)) {
            bench = started;
            highestRate();
            eventsPerSecond = (int) (LOAD * highestRate());
            new Result(Row.R15, form)
                    .add(
                            "after %d s without the broker"
                                    .formatted(outages.block().toSeconds()),
                            "backlog ÷ highest rate",
                            "s",
                            Pairs.measure(outages, this::catchUp, this::atHighestRate))
                    .note("events/s during the outage", eventsPerSecond)
                    .note(bench.account())
                    .note(bench.conditions())
                    .write(Messaging.ACTIVEMQ);
        }
    }

    private double highestRate() {
        bench.call("pause");
        bench.fill(BACKLOG);
        return drain(BACKLOG);
    }

    /** Returns the time from the broker's return until no event waits, in seconds. */
    private double catchUp(Duration outage) {
        long before = bench.call("published").getJsonNumber("count").longValue();
        bench.broker().stop();
        long events = arrive(outage, eventsPerSecond);
        bench.broker().start();
        long back = System.nanoTime();
        bench.call("await-published", "count", before + events);
        double seconds = (System.nanoTime() - back) / (double) TimeUnit.SECONDS.toNanos(1);
        bench.receivePublished();
        return seconds;
    }

    /** Stores the same backlog while the dispatcher pauses. Returns the time that the rate of its drain needs, in seconds. */
    private double atHighestRate(Duration outage) {
        bench.call("pause");
        long events = arrive(outage.dividedBy(FASTER), FASTER * eventsPerSecond);
        return events / drain(events);
    }

    private double drain(long waiting) {
        double rate = BenchServer.rate(bench.call("drain-all", "waiting", waiting));
        bench.receivePublished();
        return rate;
    }

    private long arrive(Duration time, int perSecond) {
        return bench.call("arrive", time, "threads", THREADS, "rate", perSecond)
                .getJsonNumber("count")
                .longValue();
    }
}
