package dev.cdioutbox.internal.code;

/**
 * Refuses jars of different versions. They use each other's internal classes, so a mix would fail some day with a
 * NoSuchMethodError.
 */
public final class SameVersion {
    private SameVersion() {}

    /** @param type a class of that jar */
    public static void require(String jar, Class<?> type) {
        require(versionOf(OutboxCode.class), jar, versionOf(type));
    }

    /** Classes outside a jar have no version, and pass. */
    static void require(String ours, String jar, String version) {
        if (ours != null && version != null && !ours.equals(version)) {
            throw OutboxCode.VERSIONS_DIFFER.exception(ours, jar, version);
        }
    }

    private static String versionOf(Class<?> type) {
        return type.getPackage().getImplementationVersion();
    }
}
