package dev.cdioutbox.tests.ear.shared;

/** A class in a library of the EAR, without an annotation. The application fires it with the outbox's qualifier. */
public record Shared(String id) {}
