package dev.cdioutbox.tests.inbox;

/** The consumer's own class for an event that it does not fire. */
public record Arrived(String order, int step) {}
