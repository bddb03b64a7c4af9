package dev.cdioutbox.jms.internal;

import dev.cdioutbox.internal.problem.Problem;

/**
 * Refuses jars of different versions. The two jars use each other's internal classes, so a mix would fail some day with
 * a NoSuchMethodError.
 */
final class VersionCheck {
    private VersionCheck() {}

    /** Compares the versions in the manifests. Classes outside a jar have no version, and pass. */
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
