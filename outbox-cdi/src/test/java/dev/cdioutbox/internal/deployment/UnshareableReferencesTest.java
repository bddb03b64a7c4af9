package dev.cdioutbox.internal.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.servlet.ServletContext;

import org.junit.jupiter.api.Test;

/** Guards which references to a DataSource lead to another connection than the outbox's. */
class UnshareableReferencesTest {
    private static final String REFERENCE = "<resource-ref><res-ref-name>jdbc/%s</res-ref-name><res-type>%s</res-type>"
            + "<res-sharing-scope>%s</res-sharing-scope></resource-ref>";

    @Test
    void annotationsOfAClass() {
        assertThat(UnshareableReferences.of(Annotated.class).map(found -> found.replaceFirst(".*\\(", "(")))
                .containsExactlyInAnyOrder("(jdbc/class)", "(field)", "(jdbc/named)", "(setSetter)");
    }

    @Test
    void webXml() {
        String references = REFERENCE.formatted("own", "javax.sql.DataSource", "Unshareable")
                + REFERENCE.formatted("usual", "javax.sql.DataSource", "Shareable")
                + REFERENCE.formatted("queues", "jakarta.jms.ConnectionFactory", "Unshareable")
                + "<resource-ref><res-ref-name>jdbc/short</res-ref-name><res-type>javax.sql.DataSource</res-type></resource-ref>";
        assertThat(UnshareableReferences.ofWebXml(application("<web-app>" + references + "</web-app>")))
                .containsExactly("/WEB-INF/web.xml (jdbc/own)");

        assertThat(UnshareableReferences.ofWebXml(application("<web-app>"))).isEmpty();
        assertThat(UnshareableReferences.ofWebXml(application(null))).isEmpty();
        assertThat(UnshareableReferences.ofWebXml("a module without a web part"))
                .isEmpty();
    }

    private static ServletContext application(String webXml) {
        return (ServletContext) Proxy.newProxyInstance(
                ServletContext.class.getClassLoader(),
                new Class<?>[] {ServletContext.class},
                (proxy, method, arguments) ->
                        webXml == null ? null : new ByteArrayInputStream(webXml.getBytes(StandardCharsets.UTF_8)));
    }

    @Resource(name = "jdbc/class", type = DataSource.class, shareable = false)
    @Resource(name = "jdbc/other", type = DataSource.class)
    private static final class Annotated {
        @Resource(shareable = false)
        DataSource field;

        @Resource(name = "jdbc/named", shareable = false)
        DataSource named;

        @Resource
        DataSource shared;

        @Resource(shareable = false)
        Object another;

        @Resource(shareable = false)
        void setSetter(DataSource given) {
            field = given;
        }
    }
}
