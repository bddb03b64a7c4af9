/**
 * What happens before a destination may send, and again after a change of its configuration, a failure or a crash: looks for
 * crashed processes, proves exactly-once, and chooses how the destination is claimed and who gets its messages. A worker enters at
 * {@link dev.cdioutbox.internal.dispatch.opening.DestinationOpening}, and then goes on with what is open.
 */
package dev.cdioutbox.internal.dispatch.opening;
