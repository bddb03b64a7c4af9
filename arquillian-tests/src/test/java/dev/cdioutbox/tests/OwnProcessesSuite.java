package dev.cdioutbox.tests;

import org.junit.platform.suite.api.IncludeClassNamePatterns;
import org.junit.platform.suite.api.SelectPackages;
import org.junit.platform.suite.api.Suite;

/**
 * The tests that start, stop and kill processes of their own. The build runs them beside {@link ManagedServerSuite}.
 */
@Suite
@SelectPackages({
    "dev.cdioutbox.tests.console",
    "dev.cdioutbox.tests.crash",
    "dev.cdioutbox.tests.external",
    "dev.cdioutbox.tests.jdbc",
    "dev.cdioutbox.tests.sample",
    "dev.cdioutbox.tests.tutorial"
})
@IncludeClassNamePatterns(".*IT")
class OwnProcessesSuite {}
