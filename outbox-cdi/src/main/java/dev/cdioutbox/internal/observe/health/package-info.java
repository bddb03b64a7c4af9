/**
 * The checks of MicroProfile Health, in {@code HealthChecks}. They read the last readings, and never wait for the database
 * or the broker. The container calls them, if the server has the feature.
 */
package dev.cdioutbox.internal.observe.health;
