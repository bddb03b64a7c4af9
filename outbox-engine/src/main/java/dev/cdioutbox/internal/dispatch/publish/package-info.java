/**
 * What gets the messages of a destination: its own transport or, while {@link
 * dev.cdioutbox.internal.dispatch.publish.ShadowPublisher} is in front of it, another destination or none. Enter at {@link
 * dev.cdioutbox.internal.dispatch.publish.DestinationPublisher}.
 */
package dev.cdioutbox.internal.dispatch.publish;
