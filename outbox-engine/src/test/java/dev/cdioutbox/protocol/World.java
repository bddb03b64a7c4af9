package dev.cdioutbox.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Two nodes, one partition, one database, one broker and some writers.
 *
 * @param protocol the rules of the nodes
 * @param messages the messages in the order of {@code seq}; the first letter is the key
 * @param sharedRow whether transactions with one key exclude each other until they end, as by the aggregate's row
 * @param pageSize how many rows a node reads at once
 * @param faults the faults that may happen
 */
record World(Protocol protocol, List<String> messages, boolean sharedRow, int pageSize, Faults faults) implements Rule {

    static World of(Protocol protocol, Faults faults) {
        return new World(protocol, List.of("a1", "b1", "a2"), true, 2, faults);
    }

    World withPagesOf(int rows) {
        return new World(protocol, messages, sharedRow, rows, faults);
    }

    World withoutSharedRow() {
        return new World(protocol, messages, false, pageSize, faults);
    }

    World with(String... others) {
        return new World(protocol, List.of(others), sharedRow, pageSize, faults);
    }

    State initial() {
        return State.initial(messages.size(), faults);
    }

    @Override
    public void steps(State state, Consumer<Step> to) {
        new WriterSteps(this).steps(state, to);
        new WatermarkSteps(this).steps(state, to);
        retriesBecomeDue(state, to);
        new OperatorSteps(this).steps(state, to);
        for (int node = 0; node < state.nodes().size(); node++) {
            new ClaimSteps(this, node).steps(state, to);
            new BlockedKeySteps(this, node).steps(state, to);
            new DeliverySteps(this, node).steps(state, to);
            new CrashSteps(this, node).steps(state, to);
        }
        new RecoverySteps(this).steps(state, to);
    }

    private void retriesBecomeDue(State state, Consumer<Step> to) {
        all(message -> state.row(message) == Row.FAILED).stream()
                .forEach(message -> to.accept(Step.normal(
                        state.row(message, Row.DUE), () -> "the time of " + messages.get(message) + " comes")));
    }

    char key(int message) {
        return messages.get(message).charAt(0);
    }

    /** Each key, as the set of its messages. */
    List<Messages> keys() {
        return IntStream.range(0, messages.size())
                .mapToObj(message -> withTheirKeys(Messages.of(message)))
                .distinct()
                .toList();
    }

    Messages withTheirKeys(Messages some) {
        return all(message -> {
            for (int one = 0; one < messages.size(); one++) {
                if (some.has(one) && key(one) == key(message)) {
                    return true;
                }
            }
            return false;
        });
    }

    Messages all(IntPredicate which) {
        Messages all = Messages.NONE;
        for (int message = 0; message < messages.size(); message++) {
            if (which.test(message)) {
                all = all.and(Messages.of(message));
            }
        }
        return all;
    }

    /** The order in which a claim reads the messages. */
    List<Integer> readingOrder() {
        List<Integer> order = new ArrayList<>();
        for (int message = 0; message < messages.size(); message++) {
            order.add(protocol.is(Protocol.Break.ORDER_BY_JVM_TIME) ? 0 : message, message);
        }
        return order;
    }

    String names(Messages some) {
        return some.stream().mapToObj(messages::get).collect(Collectors.joining(", "));
    }
}
