package dev.cdioutbox.internal.capture.deployment;

import java.util.stream.Collectors;

import jakarta.enterprise.inject.Instance;

import dev.cdioutbox.internal.code.OutboxCode;

/** Finds optional beans of the application. */
public final class OptionalBeans {
    private OptionalBeans() {}

    public static <T> T atMostOne(Instance<Object> beans, Class<T> type) {
        Instance<T> found = beans.select(type);
        if (found.isAmbiguous()) {
            String names = found.handlesStream()
                    .map(handle -> handle.getBean().getBeanClass().getName())
                    .sorted()
                    .collect(Collectors.joining(", "));
            throw OutboxCode.AMBIGUOUS_BEANS.exception(type.getName(), names);
        }
        return found.isUnsatisfied() ? null : found.get();
    }
}
