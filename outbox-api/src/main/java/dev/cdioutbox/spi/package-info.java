/**
 * The interfaces that an application or an integrator implements: {@link dev.cdioutbox.spi.OutboxEnricher},
 * {@link dev.cdioutbox.spi.OutboxSerializer}, {@link dev.cdioutbox.spi.OutboxPublisher}, {@link
 * dev.cdioutbox.spi.PayloadMask}.
 */
@NullMarked
package dev.cdioutbox.spi;

import org.jspecify.annotations.NullMarked;
