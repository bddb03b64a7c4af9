package dev.cdioutbox.tests.crash;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import dev.cdioutbox.tests.crash.BusinessEvent.Details;

/**
 * Records the outcome of each business transaction and each received message, outside of the processes that the harness
 * kills. Thread-safe.
 *
 * <p>A node that dies in a commit reports no outcome. At the end of the run, the business rows show whether it
 * committed.
 */
final class AccountBook {
    private final Set<String> committed = new HashSet<>();
    private final Set<String> rolledBack = new HashSet<>();
    private final Map<String, ReceivedMessage> arrivals = new LinkedHashMap<>();
    private final Set<String> arrived = new HashSet<>();

    synchronized void committed(String transaction) {
        committed.add(transaction);
    }

    synchronized void rolledBack(String transaction) {
        rolledBack.add(transaction);
    }

    /** A restarted broker may deliver a message again, with the same JMS id; the book counts such a message once. */
    synchronized void received(String jmsMessageId, String payload, long nanos) {
        arrivals.putIfAbsent(jmsMessageId, new ReceivedMessage(payload, nanos));
        arrived.add(payload);
    }

    synchronized int size() {
        return arrivals.size();
    }

    /** The time of the first matching arrival after a given time; null if there is none yet. */
    synchronized Long firstAfter(long nanos, Predicate<Details> which) {
        // The arrivals are in the order of their times, so the search ends at the first earlier one.
        List<ReceivedMessage> all = new ArrayList<>(arrivals.values());
        Long first = null;
        for (int i = all.size() - 1; i >= 0 && all.get(i).nanos() > nanos; i--) {
            if (which.test(BusinessEvent.parse(all.get(i).payload()))) {
                first = all.get(i).nanos();
            }
        }
        return first;
    }

    synchronized boolean hasArrived(String payload) {
        return arrived.contains(payload);
    }

    /**
     * Compares the arrivals and outcomes with the business tables.
     *
     * @param rows the transactions by their events' payloads, from the business tables
     * @param replays how often operators sent a payload again
     * @param discards payloads that operators discarded; such a message may leave its order if it was being sent
     * @param setAside payloads that came to the inbox after a later one of their key, and that operators have retried
     * @param discarded how many copies of a discarded message may arrive, because it was being sent
     * @param extraCopies the additional copies of one message that the mode allows after the faults of the run
     */
    synchronized Counts compare(
            Map<String, String> rows,
            Map<String, Integer> replays,
            Set<String> discards,
            Set<String> setAside,
            int discarded,
            int extraCopies) {
        Map<String, Integer> copies = new HashMap<>();
        List<String> faults = new ArrayList<>();
        Map<String, Long> last = new HashMap<>();
        int outOfOrder = 0;
        for (ReceivedMessage arrival : arrivals.values()) {
            Details details = BusinessEvent.parse(arrival.payload());
            boolean first = copies.merge(arrival.payload(), 1, Integer::sum) == 1;
            boolean leavesItsOrder = discards.contains(arrival.payload()) || setAside.contains(arrival.payload());
            if (first && details.kind().isInOrder() && !leavesItsOrder) {
                Long before = last.put(details.key(), details.number());
                if (before != null && before > details.number()) {
                    outOfOrder++;
                    faults.add("out of order: " + arrival.payload() + " after number " + before);
                    last.put(details.key(), before);
                }
            }
        }
        int lost = 0;
        int twice = 0;
        int copiesTooMany = 0;
        for (String payload : rows.keySet()) {
            int is = copies.getOrDefault(payload, 0);
            int least = discards.contains(payload) ? 0 : 1 + replays.getOrDefault(payload, 0);
            int most = discards.contains(payload) ? discarded : Math.max(1, least);
            most += extraCopies;
            twice += Math.max(0, is - Math.max(1, least));
            if (is < least) {
                lost++;
                faults.add("lost: " + payload + ", " + is + " of " + least + " copies");
            } else if (is > most) {
                copiesTooMany++;
                faults.add("too many copies: " + payload + ", " + is + " instead of " + most);
            }
        }
        int ghosts = 0;
        for (String payload : copies.keySet()) {
            if (!rows.containsKey(payload)) {
                ghosts++;
                faults.add("ghost: " + payload);
            }
        }
        lost += missing(committed, new HashSet<>(rows.values()), faults);
        ghosts += contradicted(rows.values(), faults);
        return new Counts(arrivals.size(), lost, ghosts, twice, copiesTooMany, outOfOrder, setAside.size(), faults);
    }

    private static int missing(Set<String> committed, Set<String> rows, List<String> faults) {
        int missing = 0;
        for (String transaction : committed) {
            if (!rows.contains(transaction)) {
                missing++;
                faults.add("lost: the committed business transaction " + transaction);
            }
        }
        return missing;
    }

    private int contradicted(Collection<String> rows, List<String> faults) {
        Set<String> both = new HashSet<>(rows);
        both.retainAll(rolledBack);
        both.forEach(transaction -> faults.add("ghost: the business transaction " + transaction + ", rolled back"));
        return both.size();
    }

    private record ReceivedMessage(String payload, long nanos) {}
}
