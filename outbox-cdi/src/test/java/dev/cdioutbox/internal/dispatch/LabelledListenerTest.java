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

import org.junit.jupiter.api.Test;

class LabelledListenerTest {
    /** What there is one of for each outbox, and so is not passed on. */
    private static final List<String> OF_ONE_OUTBOX = List.of("backlog", "storeSeen");

    private final List<Object[]> told = new ArrayList<>();
    private final DispatchListener listener = new LabelledListener(
            (DispatchListener) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {DispatchListener.class}, note()),
            destination -> "billing/" + destination);

    @Test
    void everythingIsPassedOnButWhatIsOfOneOutbox() {
        assertThat(Arrays.stream(DispatchListener.class.getDeclaredMethods())
                        .filter(method -> !method.isSynthetic())
                        .map(Method::getName)
                        .filter(name -> !OF_ONE_OUTBOX.contains(name)))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(LabelledListener.class.getDeclaredMethods())
                        .filter(method -> method.isAnnotationPresent(Override.class)
                                || Arrays.stream(DispatchListener.class.getDeclaredMethods())
                                        .anyMatch(declared -> declared.getName().equals(method.getName())))
                        .map(Method::getName)
                        .toList());
    }

    @Test
    void destinationsAndMessagesCarryTheLabel() {
        listener.claimed("ledger", 3, Duration.ZERO);
        listener.failed("ledger", 1, new IllegalStateException());
        listener.published("ledger", List.of(), Instant.EPOCH, Duration.ZERO);

        assertThat(told).extracting(arguments -> arguments[0]).containsOnly("billing/ledger");
    }

    private InvocationHandler note() {
        return (proxy, method, arguments) -> {
            told.add(arguments);
            return null;
        };
    }
}
