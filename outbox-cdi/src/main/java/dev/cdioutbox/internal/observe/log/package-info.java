/**
 * One log line for each step in the life of a message, with fields for a log collector. Enter at the class that
 * listens; {@code Fields} also gives the fields to Liberty's JSON log. Only the observers call it.
 */
package dev.cdioutbox.internal.observe.log;
