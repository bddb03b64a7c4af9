package dev.cdioutbox.internal.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What went to the database, in this order: statements, commits and rollbacks. */
public record SentStatements(List<Call> calls) {
    private static final Set<String> ENDS = Set.of("commit", "rollback");

    /** How much of a statement a list shows, in characters. */
    private static final int SHOWN = 140;

    /**
     * @param use numbers the uses of connections, each from its get to its close
     * @param rows of a JDBC batch; else 0
     * @param roundTrips with those of its fetches, as far as they can be counted
     */
    public record Call(int use, String text, int rows, int roundTrips) {
        boolean isStatement() {
            return !ENDS.contains(text);
        }

        @Override
        public String toString() {
            String line = text.replaceAll("\\s+", " ");
            return "connection use %d, %d round trip(s)%s: %s%s"
                    .formatted(
                            use,
                            roundTrips,
                            rows == 0 ? "" : ", batch of " + rows,
                            line.length() > SHOWN ? line.substring(0, SHOWN) + " …" : line,
                            isStatement() ? " [" + text.length() + " characters]" : "");
        }
    }

    public int statements() {
        return (int) calls.stream().filter(Call::isStatement).count();
    }

    public int commits() {
        return (int) calls.stream().filter(call -> call.text().equals("commit")).count();
    }

    public int roundTrips() {
        return calls.stream().mapToInt(Call::roundTrips).sum();
    }

    /** The characters of the SQL text that the driver got, as often as it got it. */
    public int characters() {
        return calls.stream()
                .filter(Call::isStatement)
                .mapToInt(call -> call.text().length())
                .sum();
    }

    public SentStatements and(SentStatements later) {
        List<Call> all = new ArrayList<>(calls);
        all.addAll(later.calls);
        return new SentStatements(all);
    }

    public SentStatements times(long times) {
        return new SentStatements(Collections.nCopies(Math.toIntExact(times), calls).stream()
                .flatMap(List::stream)
                .toList());
    }

    /** One line for each call. */
    @Override
    public String toString() {
        return calls.stream().map(Call::toString).collect(Collectors.joining("\n"));
    }
}
