package dev.cdioutbox.tests.bench;

import org.junit.platform.suite.api.IncludeClassNamePatterns;
import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/** All rows of the benchmark, or those that {@code bench.rows} names. Only the profile {@code bench} runs it. */
@Suite
@SelectPackages("dev.cdioutbox.tests.bench")
@IncludeClassNamePatterns(".*Rows")
class Benchmarks {}
