package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

class LabelledListenerTest {
    /** What there is one of for each outbox, and so is not passed on. */
    private static final List<String> OF_ONE_OUTBOX = List.of("backlog", "storeChecked");

    private final List<Object[]> report = new ArrayList<>();
    private final DispatchListener listener = new LabelledListener(
            (DispatchListener) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {DispatchListener.class}, note()),
            destination -> "billing/" + destination);

    @Test
    void everythingIsPassedOnButWhatIsOfOneOutbox() {
        Set<String> all = names(DispatchListener.class);
        Set<String> passedOn = names(LabelledListener.class);
        passedOn.retainAll(all);
        all.removeAll(OF_ONE_OUTBOX);

        assertThat(passedOn).isEqualTo(all);
    }

    private static Set<String> names(Class<?> type) {
        return Arrays.stream(type.getDeclaredMethods()).map(Method::getName).collect(Collectors.toSet());
    }

    @Test
    void destinationsAndMessagesCarryTheLabel() {
        listener.claimed("ledger", 3, Duration.ZERO);
        listener.failed("ledger", 1, new IllegalStateException());
        listener.published("ledger", List.of(), Instant.EPOCH, Duration.ZERO);

        assertThat(report).extracting(arguments -> arguments[0]).containsOnly("billing/ledger");
    }

    private InvocationHandler note() {
        return (proxy, method, arguments) -> {
            report.add(arguments);
            return null;
        };
    }
}
