package dev.cdioutbox.protocol;

import java.util.function.Supplier;

/** One step from a state to the next. */
record Step(Kind kind, State next, Supplier<String> words) {

    enum Kind {
        NORMAL,
        /** A fault may never happen, so progress must not depend on it. */
        FAULT,
        /** Recovery happens at some later moment. Messages that are not in doubt must not wait for it. */
        RECOVERY
    }

    static Step normal(State next, Supplier<String> words) {
        return new Step(Kind.NORMAL, next, words);
    }

    static Step fault(State next, Supplier<String> words) {
        return new Step(Kind.FAULT, next, words);
    }

    static Step recovery(State next, Supplier<String> words) {
        return new Step(Kind.RECOVERY, next, words);
    }
}
