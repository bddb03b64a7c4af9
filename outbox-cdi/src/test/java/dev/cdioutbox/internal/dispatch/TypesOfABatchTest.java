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
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector.Argument;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.MethodExitEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import com.sun.jdi.request.MethodExitRequest;
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
    private static final int TYPES = 57;

    /** What belongs to the message, to the publisher, to the container and to JDBC, and not to the delivery. */
    private static final Pattern EDGE = Pattern.compile("dev\\.cdioutbox\\.(OutboxMessage|spi\\.|internal\\.config\\."
            + "|internal\\.store\\.(StoredMessage|NewMessage|DatabaseClock|dialect\\.|sql\\.(JdbcStatement|Connections|Sql)\\b)"
            + "|internal\\.dispatch\\.container\\.|internal\\.dispatch\\.listener\\.).*");

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
                measured(scene.dispatcher, messages);
                if (scene.broker.delivered.size() != 30) {
                    throw new IllegalStateException("a message is missing");
                }
            }
        }

        private static void measured(Dispatcher dispatcher, List<NewMessage> messages) {
            dispatcher.wake(messages);
        }
    }

    /** The types of production that are called while {@code measured} runs. */
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

    private static Set<String> record(VirtualMachine machine, Class<?> main) throws Exception {
        MethodEntryRequest calls = machine.eventRequestManager().createMethodEntryRequest();
        calls.addClassFilter("dev.cdioutbox.*");
        calls.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        MethodEntryRequest begin = machine.eventRequestManager().createMethodEntryRequest();
        begin.addClassFilter(main.getName());
        begin.enable();
        MethodExitRequest end = machine.eventRequestManager().createMethodExitRequest();
        end.addClassFilter(main.getName());
        end.enable();
        Set<String> types = new TreeSet<>();
        try {
            while (true) {
                EventSet events = machine.eventQueue().remove();
                for (Event event : events) {
                    if (event instanceof VMDisconnectEvent) {
                        return types;
                    }
                    if (event instanceof MethodEntryEvent entry && entry.request() == calls) {
                        types.add(entry.method().declaringType().name());
                    } else if (event instanceof MethodEntryEvent entry
                            && isMeasured(entry.method().name())) {
                        calls.enable();
                    } else if (event instanceof MethodExitEvent exit
                            && isMeasured(exit.method().name())) {
                        types.removeIf(type -> !isOfProduction(type));
                        return types;
                    }
                }
                events.resume();
            }
        } catch (VMDisconnectedException e) {
            return types;
        }
    }

    private static boolean isMeasured(String method) {
        return method.equals("measured");
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
