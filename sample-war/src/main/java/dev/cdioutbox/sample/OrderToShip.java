package dev.cdioutbox.sample;

/** What shipping wants to know of an order, from whatever event: its own class, not the producer's. */
public record OrderToShip(String orderId) {}
