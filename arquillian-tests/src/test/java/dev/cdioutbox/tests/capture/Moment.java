package dev.cdioutbox.tests.capture;

/** Not an outbox event: it brings work to a transactional observer. */
public record Moment(When when, Runnable work) {}
