package dev.cdioutbox.tests.capture;

/** An event outside the outbox that carries work to a transactional observer. */
public record Moment(When when, Runnable work) {}
