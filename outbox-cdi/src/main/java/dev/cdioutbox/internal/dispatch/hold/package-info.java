/**
 * Who may send to a destination, and in how many transactions: {@code Way} says how a batch is sent and settled, and with
 * Kafka, a {@code MarkerHold} lets only one node send. Enter at {@code Holds}.
 */
package dev.cdioutbox.internal.dispatch.hold;
