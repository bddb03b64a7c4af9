package dev.cdioutbox.jms.internal;

import dev.cdioutbox.internal.problem.Problem;

/**
 * The two jars call each other by what is no API. Of different versions, they would fail some day with a method that is not
 * there.
 */
final class VersionCheck {
    private VersionCheck() {}

    /** By the manifests; without a version (classes that are not in a jar) nothing is checked. */
    static void run() {
        require(versionOf(Problem.class), versionOf(VersionCheck.class));
    }

    static void require(String cdi, String jms) {
        if (cdi != null && jms != null && !cdi.equals(jms)) {
            throw Problem.VERSIONS_DIFFER.exception(cdi, jms);
        }
    }

    private static String versionOf(Class<?> type) {
        return type.getPackage().getImplementationVersion();
    }
}
