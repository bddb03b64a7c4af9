package dev.cdioutbox.sample;

/** The data that shipping needs from any event of an order. The consumer's own class, not the producer's. */
public record OrderToShip(String orderId) {}
