package dev.cdioutbox.tests.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;

import dev.cdioutbox.tests.consume.refused.BeanManagedBean;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A consumer that could not be idempotent does not come into service. */
@ExtendWith(ArquillianExtension.class)
@RunAsClient
class RefusedConsumerIT {
    @ArquillianResource
    Deployer deployer;

    @Deployment(name = "bean-managed", managed = false, testable = false)
    static WebArchive beanManaged() {
        return Deployments.named("refused.war").addPackage(BeanManagedBean.class.getPackage());
    }

    @Test
    void beanManagedTransactionsFailTheDeployment() throws Exception {
        Path log = Path.of(System.getProperty("liberty.usr"), "servers/arquillian/logs/messages.log");
        int before = Files.readString(log).length();

        assertThatThrownBy(() -> deployer.deploy("bean-managed")).isInstanceOf(Exception.class);

        assertThat(Files.readString(log).substring(before))
                .contains("OBX-0505: " + BeanManagedBean.class.getName() + " cannot be an idempotent consumer")
                .contains("bean-managed");
    }
}
