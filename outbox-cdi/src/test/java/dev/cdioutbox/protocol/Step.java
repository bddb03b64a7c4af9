package dev.cdioutbox.protocol;

import java.util.function.Supplier;

/** One step from a state to the next. */
record Step(Kind kind, State next, Supplier<String> words) {

    enum Kind {
        NORMAL,
        /** Nothing may depend on it ever happening. */
        FAULT,
        /** It happens at some later moment, and what is not in doubt must not wait for it. */
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
