package dev.cdioutbox.tests.discovery;

/** A foreign class, which the application cannot annotate. */
public record Invoice(String number) {}
