/** Jakarta Persistence: aggregates that collect their events, and a view of the outbox for the application's own queries. */
@NullMarked
package dev.cdioutbox.persistence;

import org.jspecify.annotations.NullMarked;
