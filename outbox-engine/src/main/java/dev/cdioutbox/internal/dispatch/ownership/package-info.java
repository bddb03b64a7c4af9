/**
 * Who may send to a destination: all nodes and threads, each from the partitions that it has claimed, or with Kafka's markers one
 * node only. Enter at {@code DestinationOwnerships}.
 */
package dev.cdioutbox.internal.dispatch.ownership;
