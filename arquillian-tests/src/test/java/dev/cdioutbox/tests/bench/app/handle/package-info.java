/** The part of the benchmark's application with a handler: only its rows have it, since each handler is a destination. */
package dev.cdioutbox.tests.bench.app.handle;
