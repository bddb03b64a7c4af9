package dev.cdioutbox.tests.sample;

import dev.cdioutbox.OutboxEvent;

@OutboxEvent
public record Noted(String text) {}
