package dev.cdioutbox.tests.ear.shared;

/** In a library of the EAR, and an event by the qualifier with which it is fired. */
public record Shared(String id) {}
