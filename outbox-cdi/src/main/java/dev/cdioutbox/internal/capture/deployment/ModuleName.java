package dev.cdioutbox.internal.capture.deployment;

import java.security.CodeSource;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.InitialContext;
import javax.naming.NamingException;

/** The name of the deployed module. */
public final class ModuleName {
    /** For a JVM without Jakarta EE. */
    public static final String UNKNOWN = "default";

    /** The width of the columns. */
    private static final int MAX_LENGTH = 64;

    private static final Pattern WAR = Pattern.compile("([^/]+)\\.war!?/WEB-INF/");

    /** From the first dash before a number with a dot, or before a number and SNAPSHOT: shop-1.2.3, shop-2-SNAPSHOT. */
    private static final Pattern VERSION = Pattern.compile("-v?\\d+(\\.\\d.*|-SNAPSHOT)", Pattern.CASE_INSENSITIVE);

    private ModuleName() {}

    /** To be called while the module is deployed. Without the version: a renamed WAR must keep its rows. */
    public static String find() {
        CodeSource source = ModuleName.class.getProtectionDomain().getCodeSource();
        // Liberty knows no module before its components start, and the application of a WAR in an EAR is the EAR.
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

    /** The WAR that a jar was loaded from. Empty where the server unpacked the jar elsewhere. */
    static Optional<String> war(String location) {
        return WAR.matcher(location).results().map(found -> found.group(1)).findFirst();
    }

    static String withoutVersion(String name) {
        Matcher version = VERSION.matcher(name);
        String stem = version.find() && version.start() > 0 ? name.substring(0, version.start()) : name;
        return stem.isBlank() ? UNKNOWN : stem.substring(0, Math.min(stem.length(), MAX_LENGTH));
    }
}
