/**
 * What runs in Kafka Connect, and not in the application: a transformation of the changes that a connector captures. Needs
 * Connect's API only, and of the outbox what needs no Jakarta EE.
 */
package dev.cdioutbox.kafka.connect;
