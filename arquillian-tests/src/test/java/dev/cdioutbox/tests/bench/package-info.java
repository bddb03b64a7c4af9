/**
 * The benchmark: how fast the outbox is, compared with other ways to do the same work, in one run on one machine.
 *
 * <pre>
 *  Benchmarks ── runs ──► ServerRows, …: a method with @Benchmark for each Row
 *                            │
 *                            ├─ Pairs.measure(form, ours, other)   blocks A B, B A, …: the median of the ratios
 *                            └─ Result.write()                     target/bench/results.csv
 * </pre>
 *
 * <p><b>To add a row</b>, add a constant to {@link dev.cdioutbox.tests.bench.Row}, and a method to a class whose name ends
 * with {@code Rows}:
 *
 * <pre>{@code
 * @Benchmark(Row.R4)
 * void dispatch() throws Exception {
 *     new Result(Row.R4, form)
 *             .add("dispatch", "a raw loop of JMS sends", "messages/s", Pairs.measure(form, this::drain, this::send))
 *             .note("messages lost", lost)
 *             .write();
 * }
 * }</pre>
 */
package dev.cdioutbox.tests.bench;
