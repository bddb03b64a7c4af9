package dev.cdioutbox.tests.crash;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of the comparison of an account book with the business tables.
 *
 * @param twice copies beyond the first one and the replays
 * @param tooOften messages with more copies than the mode allows
 * @param setAside messages that came to the inbox after a later one of their key, and left its order
 * @param faults a description of each violation
 */
record Counts(
        int messages,
        int lost,
        int ghosts,
        int twice,
        int tooOften,
        int outOfOrder,
        int setAside,
        List<String> faults) {
    Counts {
        faults = List.copyOf(faults);
    }

    /** The numbers by the names that the published runs have for them. */
    Map<String, Integer> byName() {
        Map<String, Integer> names = new LinkedHashMap<>();
        names.put("messages", messages);
        names.put("lost", lost);
        names.put("ghosts", ghosts);
        names.put("copies beyond one", twice);
        names.put("too many copies", tooOften);
        names.put("out of order", outOfOrder);
        return names;
    }

    static Counts none() {
        return new Counts(0, 0, 0, 0, 0, 0, 0, List.of());
    }

    Counts with(List<String> otherFaults) {
        return new Counts(messages, lost, ghosts, twice, tooOften, outOfOrder, setAside, otherFaults);
    }

    boolean isGood() {
        return faults.isEmpty();
    }

    Counts plus(Counts other) {
        List<String> all = new ArrayList<>(faults);
        all.addAll(other.faults);
        return new Counts(
                messages + other.messages,
                lost + other.lost,
                ghosts + other.ghosts,
                twice + other.twice,
                tooOften + other.tooOften,
                outOfOrder + other.outOfOrder,
                setAside + other.setAside,
                all);
    }
}
