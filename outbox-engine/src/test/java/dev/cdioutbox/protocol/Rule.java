package dev.cdioutbox.protocol;

import java.util.function.Consumer;

/** Some of the steps that are possible in a state. */
interface Rule {
    void steps(State state, Consumer<Step> to);
}
