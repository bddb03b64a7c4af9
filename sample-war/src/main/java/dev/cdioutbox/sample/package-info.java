/**
 * An order service that uses the outbox. {@link dev.cdioutbox.sample.OrderService} changes the database and fires plain
 * CDI events; {@link dev.cdioutbox.sample.ShippingBean} receives them over JMS. Neither knows of the other, and the
 * service knows of the outbox only by the annotations on {@link dev.cdioutbox.sample.OrderPlaced} and
 * {@link dev.cdioutbox.sample.OrderCancelled}. The rest is the way in and out: REST under {@code /api}, and a page at
 * {@code /} that shows an order travel.
 */
package dev.cdioutbox.sample;
