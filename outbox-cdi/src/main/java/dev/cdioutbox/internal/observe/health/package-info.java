/**
 * The checks of MicroProfile Health, one class each. They read the data of the listeners, and never wait for the
 * database or the broker. The container calls them, if the server has the feature.
 */
package dev.cdioutbox.internal.observe.health;
