/**
 * The checks of MicroProfile Health, one class each. They read what the listeners keep, and never wait for the
 * database or the broker. The container calls them, if the server has the feature.
 */
package dev.cdioutbox.internal.observe.health;
