package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Location;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector.Argument;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.EventRequestManager;
import com.sun.jdi.request.MethodEntryRequest;
import dev.cdioutbox.internal.store.NewMessage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Guards how many types a reader meets who follows a batch in which nothing fails: those that are called from the wake-up to the
 * end of the run, nested ones included, on a warm node that is alone. A debugger counts them in another process.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class TypesOfABatchTest {
    /** A change that adds a type fails, and so does a change that removes one, until this number is lowered. */
    private static final int TYPES = 42;

    /** What belongs to the message, to the publisher, to the container and to JDBC, and not to the delivery. */
    private static final Pattern EDGE =
            Pattern.compile("dev\\.cdioutbox\\.(OutboxMessage|OutboxPayload|spi\\.|internal\\.config\\."
                    + "|internal\\.store\\.(StoredMessage|NewMessage|DatabaseClock|dialect\\.|sql\\.(JdbcStatement|LimitedStatement|Connections|Sql)\\b)"
                    + "|internal\\.dispatch\\.(container|listener|publish)\\.).*");

    @Test
    void batchInWhichNothingFailsCallsFewTypes() throws Exception {
        Set<String> called = typesCalledBy(OneBatch.class);

        Set<String> delivery = new TreeSet<>(called);
        delivery.removeIf(EDGE.asMatchPredicate());
        assertThat(delivery).as("beside the edge: %s", edge(called)).hasSize(TYPES);
    }

    private static Set<String> edge(Set<String> called) {
        Set<String> edge = new TreeSet<>(called);
        edge.removeIf(Predicate.not(EDGE.asMatchPredicate()));
        return edge;
    }

    /** The scene. Its class is loaded in the other process. */
    static final class OneBatch {
        private OneBatch() {}

        public static void main(String[] none) {
            try (DispatchScene scene = new DispatchScene()) {
                scene.dispatcher.useThreads(Runnable::run);
                scene.dispatcher.writeHeartbeat();
                scene.dispatcher.checkNodes();
                for (int batch = 0; batch < 2; batch++) {
                    List<NewMessage> before = numbered(10 * batch, 10, 3);
                    scene.write(before);
                    scene.dispatcher.wake(before);
                }
                List<NewMessage> messages = numbered(20, 10, 3);
                scene.write(messages);
                begins();
                scene.dispatcher.wake(messages);
                ends();
                if (scene.broker.delivered.size() != 30) {
                    throw new IllegalStateException("a message is missing");
                }
            }
        }

        private static void begins() {
            // The debugger stops here.
        }

        private static void ends() {
            // And here.
        }
    }

    /** The types of production that are called between the two. */
    private static Set<String> typesCalledBy(Class<?> main) throws Exception {
        LaunchingConnector launcher = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Argument> arguments = launcher.defaultArguments();
        arguments.get("main").setValue(main.getName());
        arguments.get("options").setValue("-cp " + System.getProperty("java.class.path"));
        VirtualMachine machine = launcher.launch(arguments);
        try {
            return record(machine, main);
        } finally {
            machine.process().destroyForcibly();
        }
    }

    /** Breakpoints begin and end the record, because requests for calls would slow the whole process down. */
    private static Set<String> record(VirtualMachine machine, Class<?> main) throws Exception {
        EventRequestManager requests = machine.eventRequestManager();
        MethodEntryRequest calls = requests.createMethodEntryRequest();
        calls.addClassFilter("dev.cdioutbox.*");
        calls.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        ClassPrepareRequest loaded = requests.createClassPrepareRequest();
        loaded.addClassFilter(main.getName());
        loaded.enable();
        Set<String> types = new TreeSet<>();
        while (true) {
            EventSet events = machine.eventQueue().remove();
            for (Event event : events) {
                if (event instanceof ClassPrepareEvent prepared) {
                    stopAt(prepared.referenceType(), "begins");
                    stopAt(prepared.referenceType(), "ends");
                } else if (event instanceof MethodEntryEvent entry) {
                    types.add(entry.method().declaringType().name());
                } else if (event instanceof BreakpointEvent stop
                        && stop.location().method().name().equals("begins")) {
                    calls.enable();
                } else if (event instanceof BreakpointEvent) {
                    types.removeIf(type -> !isOfProduction(type));
                    return types;
                }
            }
            events.resume();
        }
    }

    private static void stopAt(ReferenceType type, String method) {
        Location first = type.methodsByName(method).get(0).location();
        type.virtualMachine()
                .eventRequestManager()
                .createBreakpointRequest(first)
                .enable();
    }

    private static boolean isOfProduction(String type) {
        if (type.contains("$$")) {
            return false;
        }
        try {
            Class<?> found = Class.forName(type, false, TypesOfABatchTest.class.getClassLoader());
            return found.getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .equals(Dispatcher.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation());
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
