/**
 * An order service that uses the outbox. {@link dev.cdioutbox.sample.OrderService} changes the database and fires plain
 * CDI events; {@link dev.cdioutbox.sample.ShippingBean} receives them over JMS. Neither depends on the other. The
 * service depends on the outbox only by the annotations on {@link dev.cdioutbox.sample.OrderPlaced} and
 * {@link dev.cdioutbox.sample.OrderCancelled}. The other classes are the REST API under {@code /api}. A page at
 * {@code /} shows an order on its way.
 *
 * <p>For trying things out only: the REST API answers anybody, and shows payloads and errors that the console shows only to some roles.
 */
package dev.cdioutbox.sample;
