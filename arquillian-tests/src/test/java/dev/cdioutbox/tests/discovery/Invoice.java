package dev.cdioutbox.tests.discovery;

/** A class of others: it cannot be annotated. */
public record Invoice(String number) {}
