/** The application of the benchmark. Requests of the tests start its blocks, and it answers with counts. */
package dev.cdioutbox.tests.bench.app;
