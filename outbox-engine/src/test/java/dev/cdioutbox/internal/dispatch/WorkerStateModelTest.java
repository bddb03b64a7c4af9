package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import dev.cdioutbox.internal.dispatch.WorkerState.Cycle;
import dev.cdioutbox.internal.dispatch.WorkerState.Decision;
import dev.cdioutbox.internal.store.claim.PartitionRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tries the steps of two nodes, whose workers are the real {@link WorkerState}s, in every order: two partitions, two threads
 * a node, commits, wake-ups, claims, sends, failures, hangs, refused threads, and polls. Each negative control
 * breaks one rule, and must be found.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WorkerStateModelTest {
    private static final int PARTITIONS = 2;
    private static final int MOST_THREADS = 2;

    @Test
    void messageOfALoneNodeWaitsForNoPoll() {
        assertThat(messageThatWaits(Rule.NONE)).isEmpty();
    }

    @Test
    void aMessageWaitsIfARangeIsLost() {
        assertThat(messageThatWaits(Rule.LOCKED_RANGE_IS_FORGOTTEN)).isNotEmpty();
        assertThat(messageThatWaits(Rule.WAKE_UP_OF_A_BUSY_WORKER_IS_FORGOTTEN)).isNotEmpty();
        assertThat(messageThatWaits(Rule.THREAD_LEAVES_THOUGH_SOMETHING_IS_PENDING))
                .isNotEmpty();
    }

    private static List<World> messageThatWaits(Rule rule) {
        return reached(new World(rule, 1, new Budget(3, 0, 0, 0, 1))).stream()
                .filter(world -> world.isQuiet() && world.waiting.sum() > 0)
                .toList();
    }

    /** From every state, unless all threads hang: what else happened before does not matter. */
    @Test
    void nextPollLooksInAllPartitionsAndAWorkerCountsItsThreadsAndTheirRunsFailOnce() {
        Set<World> worlds = reached(new World(Rule.NONE, 2, new Budget(2, 2, 1, 1, 2)));

        assertThat(worlds).hasSizeGreaterThan(10_000);
        assertThat(pollInVain(worlds)).isEmpty();
        assertThat(worlds).allMatch(World::isConsistent);
    }

    /** Otherwise as many failures as threads would be counted for one outage. */
    @Test
    void anOutageCountsMoreThanOnceIfTheThreadsThatMeetItAreNotIgnored() {
        assertThat(reached(new World(Rule.EACH_THREAD_OF_AN_OUTAGE_COUNTS, 1, new Budget(1, 2, 0, 0, 2))))
                .anyMatch(world -> !world.isConsistent());
    }

    @Test
    void aPollIsInVainIfAThreadThatFailsStays() {
        assertThat(pollInVain(reached(new World(Rule.THREAD_THAT_FAILS_STAYS, 2, new Budget(1, 1, 0, 1, 1)))))
                .isNotEmpty();
    }

    /** A commit finds no room, no outage, and no thread on its way: then it starts one. */
    @Test
    void nextCommitAfterARefusedThreadAsksAgainUnlessTheRefusalIsForgotten() {
        assertThat(commitInVain(reached(new World(Rule.NONE, 1, new Budget(2, 1, 2, 0, 1)))))
                .isEmpty();

        Set<World> forgotten = reached(new World(Rule.REFUSAL_IS_FORGOTTEN, 1, new Budget(2, 1, 2, 0, 1)));
        assertThat(commitInVain(forgotten)).isNotEmpty();
        assertThat(pollInVain(forgotten)).as("a poll mends it").isEmpty();
    }

    private static List<World> commitInVain(Set<World> worlds) {
        return worlds.stream()
                .filter(world -> world.nodes.stream().anyMatch(Node::isDeafToCommits))
                .toList();
    }

    private static List<World> pollInVain(Set<World> worlds) {
        return worlds.stream()
                .filter(world -> world.isQuiet() && world.nodes.stream().anyMatch(node -> !node.pollLooksAtAll()))
                .toList();
    }

    private static Set<World> reached(World start) {
        Set<World> reached = new HashSet<>(Set.of(start));
        Deque<World> left = new ArrayDeque<>(reached);
        while (!left.isEmpty()) {
            left.remove().next().filter(reached::add).forEach(left::add);
        }
        return reached;
    }

    private enum Rule {
        NONE,
        LOCKED_RANGE_IS_FORGOTTEN,
        WAKE_UP_OF_A_BUSY_WORKER_IS_FORGOTTEN,
        THREAD_LEAVES_THOUGH_SOMETHING_IS_PENDING,
        THREAD_THAT_FAILS_STAYS,
        EACH_THREAD_OF_AN_OUTAGE_COUNTS,
        REFUSAL_IS_FORGOTTEN
    }

    /** How often each event may still happen. */
    private record Budget(int commits, int failures, int refusals, int hangs, int polls) {
        boolean isKept() {
            return commits >= 0 && failures >= 0 && refusals >= 0 && hangs >= 0 && polls >= 0;
        }

        Budget lessCommits() {
            return new Budget(commits - 1, failures, refusals, hangs, polls);
        }

        Budget lessFailures() {
            return new Budget(commits, failures - 1, refusals, hangs, polls);
        }

        Budget lessRefusals() {
            return new Budget(commits, failures, refusals - 1, hangs, polls);
        }

        Budget lessHangs() {
            return new Budget(commits, failures, refusals, hangs - 1, polls);
        }

        Budget lessPolls() {
            return new Budget(commits, failures, refusals, hangs, polls - 1);
        }
    }

    /** The messages that wait in the two partitions. */
    private record Waiting(int first, int second) {
        int in(int partition) {
            return partition == 0 ? first : second;
        }

        int sum() {
            return first + second;
        }

        Waiting plus(int partition, int more) {
            return partition == 0 ? new Waiting(first + more, second) : new Waiting(first, second + more);
        }
    }

    /**
     * A thread in a cycle.
     *
     * @param claimed the claimed partition; −1 before the claim
     * @param batch the messages in the batch
     * @param isComplete whether the claim left nothing
     * @param isBusy whether the claim found messages in a locked partition
     * @param metOutage whether another thread has failed while this one was at work
     */
    private record Thread(
            Cycle cycle, int claimed, int batch, boolean isComplete, boolean isBusy, boolean hangs, boolean metOutage) {
        static Thread of(Cycle cycle) {
            return new Thread(cycle, -1, 0, false, false, false, false);
        }

        Thread sending(int partition, int messages, boolean complete, boolean busy) {
            return new Thread(cycle, partition, messages, complete, busy, false, metOutage);
        }

        Thread hanging() {
            return new Thread(cycle, claimed, batch, false, false, true, metOutage);
        }

        Thread inOutage() {
            return new Thread(cycle, claimed, batch, isComplete, isBusy, hangs, true);
        }
    }

    /**
     * @param starting the threads that were asked for and have not come yet
     * @param outages the failures of threads that met no earlier outage
     */
    private record Node(WorkerState state, List<Thread> threads, int starting, int outages) {

        Node after(Decision decision, List<Thread> others) {
            List<Thread> now = new ArrayList<>(others);
            if (decision.cycle() != null) {
                now.add(Thread.of(decision.cycle()));
            }
            // Which of its threads came first is no difference.
            now.sort(Comparator.comparingInt(thread -> thread.cycle.thread()));
            return new Node(decision.state(), List.copyOf(now), starting + (decision.startThread() ? 1 : 0), outages);
        }

        /** Counts an outage unless the thread that failed has met an earlier one. */
        Node afterFailure(Decision decision, Thread failed, List<Thread> others) {
            List<Thread> met = failed.metOutage
                    ? others
                    : others.stream().map(Thread::inOutage).toList();
            Node after = after(decision, met);
            return new Node(after.state, after.threads, after.starting, outages + (failed.metOutage ? 0 : 1));
        }

        Node lessStarting() {
            return new Node(state, threads, starting - 1, outages);
        }

        List<Thread> without(int thread) {
            List<Thread> others = new ArrayList<>(threads);
            others.remove(thread);
            return others;
        }

        boolean pollLooksAtAll() {
            Cycle cycle = state.polled(MOST_THREADS, 0).cycle();
            return threads.size() >= MOST_THREADS
                    || cycle != null && cycle.range().equals(PartitionRange.ALL);
        }

        boolean isDeafToCommits() {
            return starting == 0
                    && threads.size() < MOST_THREADS
                    && state.threads().failures() == 0
                    && !state.woken(PartitionRange.ALL, MOST_THREADS).startThread();
        }

        boolean isConsistent() {
            return state.threads().count() == threads.size()
                    && threads.size() <= MOST_THREADS
                    && threads.stream()
                            .allMatch(thread -> state.threads().isOfRun(thread.cycle.thread()) != thread.metOutage)
                    && state.threads().failures() <= outages;
        }
    }

    private record World(Rule rule, List<Node> nodes, Waiting waiting, Budget budget) {

        World(Rule rule, int nodes, Budget budget) {
            this(
                    rule,
                    java.util.Collections.nCopies(nodes, new Node(WorkerState.idle(0), List.of(), 0, 0)),
                    new Waiting(0, 0),
                    budget);
        }

        /** Whether no thread works or comes, hanging ones excepted. */
        boolean isQuiet() {
            return nodes.stream()
                    .allMatch(
                            node -> node.starting == 0 && node.threads.stream().allMatch(Thread::hangs));
        }

        boolean isConsistent() {
            return nodes.stream().allMatch(Node::isConsistent);
        }

        Stream<World> next() {
            List<World> next = new ArrayList<>();
            for (int i = 0; i < nodes.size(); i++) {
                Node node = nodes.get(i);
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    next.add(with(i, woken(node, partition), waiting.plus(partition, 1), budget.lessCommits()));
                }
                next.add(with(
                        i, node.after(node.state.polled(MOST_THREADS, 0), node.threads), waiting, budget.lessPolls()));
                if (node.starting > 0) {
                    Node came = node.lessStarting();
                    next.add(with(i, came.after(node.state.arrived(MOST_THREADS), node.threads), waiting, budget));
                    Decision refused = rule == Rule.REFUSAL_IS_FORGOTTEN
                            ? new Decision(node.state, false, null)
                            : node.state.refused();
                    next.add(with(i, came.after(refused, node.threads), waiting, budget.lessRefusals()));
                }
                for (int thread = 0; thread < node.threads.size(); thread++) {
                    if (!node.threads.get(thread).hangs) {
                        work(i, node, thread, next);
                    }
                }
            }
            return next.stream().filter(world -> world.budget.isKept());
        }

        private Node woken(Node node, int partition) {
            PartitionRange range = new PartitionRange(partition, partition);
            Decision decision = node.state.woken(range, MOST_THREADS);
            boolean isForgotten = rule == Rule.WAKE_UP_OF_A_BUSY_WORKER_IS_FORGOTTEN && !node.threads.isEmpty();
            return node.after(isForgotten ? new Decision(node.state, false, null) : decision, node.threads);
        }

        private void work(int i, Node node, int number, List<World> next) {
            Thread thread = node.threads.get(number);
            List<Thread> others = node.without(number);
            next.add(with(i, node.afterFailure(failed(node, thread), thread, others), waiting, budget.lessFailures()));
            if (thread.claimed < 0) {
                claim(i, node, thread, others, next);
            } else {
                List<Thread> now = new ArrayList<>(others);
                now.add(thread.hanging());
                Decision unchanged = new Decision(node.state, false, null);
                next.add(with(i, node.after(unchanged, now), waiting, budget.lessHangs()));
                Waiting rest = waiting.plus(thread.claimed, -thread.batch);
                boolean isAlone = nodes.size() == 1;
                PartitionRange released = new PartitionRange(thread.claimed, thread.claimed);
                CycleResult result =
                        CycleResult.delivered(thread.cycle, thread.isComplete, isAlone, thread.isBusy, released, null);
                finish(i, node, thread, others, result, rest, next);
            }
        }

        private Decision failed(Node node, Thread thread) {
            WorkerState state = node.state;
            if (rule == Rule.THREAD_THAT_FAILS_STAYS) {
                return new Decision(state, false, null);
            }
            if (rule == Rule.EACH_THREAD_OF_AN_OUTAGE_COUNTS) {
                Threads threads = state.threads();
                for (int number : threads.atWork().keySet()) {
                    threads = threads.joined(number);
                }
                state = new WorkerState(state.requested(), threads, state.pending(), state.after(), state.polledAt());
            }
            return state.failed(thread.cycle, null);
        }

        /** Claims one partition. What another thread has locked, it does not get. */
        private void claim(int i, Node node, Thread thread, List<Thread> others, List<World> next) {
            int free = 0;
            int first = -1;
            boolean isBusy = false;
            for (int step = 1; step <= PARTITIONS; step++) {
                int partition = (int) ((thread.cycle.after() + step) % PARTITIONS);
                boolean isIn = thread.cycle.range().first() <= partition
                        && partition <= thread.cycle.range().last();
                if (isIn && waiting.in(partition) > 0) {
                    boolean isLocked = isLocked(partition);
                    isBusy |= isLocked;
                    free += isLocked ? 0 : 1;
                    first = first < 0 && !isLocked ? partition : first;
                }
            }
            if (first < 0) {
                boolean isForgotten = rule == Rule.LOCKED_RANGE_IS_FORGOTTEN;
                CycleResult result = CycleResult.nothing(thread.cycle, isBusy && !isForgotten, nodes.size() == 1);
                finish(i, node, thread, others, result, waiting, next);
                return;
            }
            Decision decision = node.state.claimed(thread.cycle, first, free > 1, MOST_THREADS);
            Thread sending = thread.sending(first, waiting.in(first), free == 1, isBusy);
            List<Thread> now = new ArrayList<>(others);
            now.add(sending);
            next.add(with(i, node.after(decision, now), waiting, budget));
        }

        private boolean isLocked(int partition) {
            return nodes.stream()
                    .flatMap(node -> node.threads.stream())
                    .anyMatch(thread -> thread.claimed == partition);
        }

        private void finish(
                int i,
                Node node,
                Thread thread,
                List<Thread> others,
                CycleResult result,
                Waiting rest,
                List<World> next) {
            UnaryOperator<Decision> broken = decision -> rule == Rule.THREAD_LEAVES_THOUGH_SOMETHING_IS_PENDING
                            && decision.cycle() != null
                            && result.again().equals(PartitionRange.NONE)
                    ? node.state.withdrawn(new Cycle(thread.cycle.thread(), PartitionRange.NONE, 0, 0, false))
                    : decision;
            for (boolean isOver : new boolean[] {false, true}) {
                Decision decision = node.state.finished(thread.cycle, result, isOver, MOST_THREADS, PARTITIONS);
                next.add(with(i, node.after(broken.apply(decision), others), rest, budget));
            }
        }

        private World with(int i, Node node, Waiting now, Budget rest) {
            List<Node> all = new ArrayList<>(nodes);
            all.set(i, node);
            // The nodes are alike: what one of them meets is tried, and not that the other one meets it, too.
            all.sort(Comparator.comparingInt(Node::hashCode));
            return new World(rule, List.copyOf(all), now, rest);
        }
    }
}
