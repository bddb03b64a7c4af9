package dev.cdioutbox.tests.capture;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** A random transaction, and the model of the events that it must store. */
record Plan(String id, Kind kind, List<Step> steps) {
    private static final int MAX_STEPS = 6;

    /** The API that begins the transaction. */
    enum Kind {
        EJB,
        TRANSACTIONAL,
        USER
    }

    /** A step of the transaction; the steps run in order. */
    sealed interface Step {}

    record Fire(When when, String token) implements Step {}

    record FireOutside(String token) implements Step {}

    record Nested(Plan plan) implements Step {}

    record Poisoned(When when) implements Step {}

    record RollBack() implements Step {}

    record Fail() implements Step {}

    static Plan random(Random random, String id, int depth) {
        List<Step> steps = new ArrayList<>();
        int count = 1 + random.nextInt(MAX_STEPS);
        for (int i = 0; i < count; i++) {
            Step step = step(random, id + "." + i, depth);
            boolean doomed = steps.stream().anyMatch(Plan::isDoom);
            // In a transaction marked for rollback, the server refuses some registrations.
            steps.add(doomed && step instanceof Fire fire ? new Fire(When.AT_ONCE, fire.token()) : step);
        }
        Kind[] kinds = Kind.values();
        // A bean with bean-managed transactions cannot begin one inside another.
        return new Plan(id, kinds[random.nextInt(depth == 0 ? kinds.length : kinds.length - 1)], steps);
    }

    private static Step step(Random random, String token, int depth) {
        int dice = random.nextInt(100);
        if (dice < 76 || depth == 2 && dice < 91) {
            return new Fire(When.values()[random.nextInt(When.values().length)], token);
        } else if (dice < 91) {
            return new Nested(random(random, token, depth + 1));
        } else if (dice < 94) {
            return new FireOutside(token);
        } else if (dice < 96) {
            return new Poisoned(random.nextBoolean() ? When.AT_ONCE : When.IN_THE_FLUSH);
        } else {
            return dice < 98 ? new RollBack() : new Fail();
        }
    }

    boolean commits() {
        return steps.stream().noneMatch(Plan::isDoom);
    }

    private static boolean isDoom(Step step) {
        return step instanceof Poisoned || step instanceof RollBack || step instanceof Fail;
    }

    /** The plans that run: all except the ones after a failure. */
    Stream<Plan> reached() {
        return Stream.concat(
                Stream.of(this),
                steps.stream()
                        .takeWhile(step -> !(step instanceof Fail))
                        .filter(Nested.class::isInstance)
                        .flatMap(nested -> ((Nested) nested).plan().reached()));
    }

    /** The tokens that this transaction alone must store. */
    Stream<String> stored() {
        return commits()
                ? fires().filter(fire -> fire.when().isBeforeTheCommit()).map(Fire::token)
                : Stream.empty();
    }

    /**
     * The tokens that fire() must refuse in this transaction alone. If the transaction rolls back, further refusals are
     * allowed.
     */
    Stream<String> refused() {
        return Stream.concat(
                commits()
                        ? fires().filter(fire ->
                                        !fire.when().isBeforeTheCommit() && fire.when() != When.IN_AFTER_FAILURE)
                                .map(Fire::token)
                        : Stream.empty(),
                reachedSteps().filter(FireOutside.class::isInstance).map(outside -> ((FireOutside) outside).token()));
    }

    private Stream<Fire> fires() {
        return steps.stream().filter(Fire.class::isInstance).map(Fire.class::cast);
    }

    private Stream<Step> reachedSteps() {
        return steps.stream().takeWhile(step -> !(step instanceof Fail));
    }
}
