/** What an integrator implements: {@link dev.cdioutbox.spi.OutboxSerializer}, {@link dev.cdioutbox.spi.OutboxPublisher}. */
package dev.cdioutbox.spi;
