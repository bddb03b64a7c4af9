package dev.cdioutbox.internal.deployment;

import java.security.CodeSource;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/** The name of the deployed module. */
public final class ModuleName {
    /** The name in a JVM without Jakarta EE. */
    public static final String UNKNOWN = "default";

    /** In characters: the width of the columns. */
    private static final int MAX_LENGTH = 64;

    private static final Pattern WAR = Pattern.compile("([^/]+)\\.war!?/WEB-INF/");

    /** The first dash before a number with a dot, or before a number and SNAPSHOT: shop-1.2.3, shop-2-SNAPSHOT. */
    private static final Pattern VERSION = Pattern.compile("-v?\\d+(\\.\\d.*|-SNAPSHOT)", Pattern.CASE_INSENSITIVE);

    private ModuleName() {}

    /**
     * Finds the name, during deployment only. Leaves the version out, so that a new version of the WAR keeps its rows.
     */
    public static String find() {
        CodeSource source = ModuleName.class.getProtectionDomain().getCodeSource();
        // Liberty has no module name before the components start, and AppName of a WAR in an EAR is the EAR's.
        return lookUp("java:module/ModuleName")
                .or(() -> war(String.valueOf(source == null ? null : source.getLocation())))
                .or(() -> lookUp("java:app/AppName"))
                .map(ModuleName::withoutVersion)
                .orElse(UNKNOWN);
    }

    private static Optional<String> lookUp(String jndi) {
        try {
            return InitialContext.doLookup(jndi) instanceof String name ? Optional.of(name) : Optional.empty();
        } catch (NamingException noSuchName) {
            return Optional.empty();
        }
    }

    /** The WAR that a jar was loaded from. Empty if the server has unpacked the jar elsewhere. */
    static Optional<String> war(String location) {
        return WAR.matcher(location).results().map(found -> found.group(1)).findFirst();
    }

    static String withoutVersion(String name) {
        Matcher version = VERSION.matcher(name);
        String stem = version.find() && version.start() > 0 ? name.substring(0, version.start()) : name;
        return stem.isBlank() ? UNKNOWN : stem.substring(0, Math.min(stem.length(), MAX_LENGTH));
    }
}
