package dev.cdioutbox.tests;

import org.junit.platform.suite.api.ExcludePackages;
import org.junit.platform.suite.api.IncludeClassNamePatterns;
import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/**
 * The tests that deploy to the server that Arquillian manages. The build runs this suite and {@link OwnProcessesSuite}
 * in two forks. Inside the suite the server lives from the first class to the last. Outside of it, Arquillian starts
 * the server for each class.
 */
@Suite
@SelectPackages("dev.cdioutbox.tests")
@ExcludePackages({
    "dev.cdioutbox.tests.console",
    "dev.cdioutbox.tests.crash",
    "dev.cdioutbox.tests.external",
    "dev.cdioutbox.tests.jdbc",
    "dev.cdioutbox.tests.sample",
    // Each has a server of another product, which the profile "servers" fetches.
    "dev.cdioutbox.tests.servers",
    "dev.cdioutbox.tests.tutorial"
})
@IncludeClassNamePatterns(".*IT")
class ManagedServerSuite {}
