package dev.cdioutbox.tests.consume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;

import dev.cdioutbox.tests.consume.lone.LoneBean;
import dev.cdioutbox.tests.consume.refused.BeanManagedBean;
import dev.cdioutbox.tests.consume.refused.OfUnknownOutbox;
import dev.cdioutbox.tests.consume.refused.OnAnInterface;
import dev.cdioutbox.tests.consume.refused.OutsideBean;
import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.ManagedServer;
import org.jboss.arquillian.container.test.api.Deployer;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A deployment fails if one of its consumers could not be idempotent. */
@ExtendWith(ArquillianExtension.class)
@RunAsClient
class RefusedConsumerIT {
    private static final Duration SOON = Duration.ofMinutes(4);
    private static final String BEANS_XML = "WEB-INF/beans.xml";

    @ArquillianResource
    Deployer deployer;

    @Deployment(name = "every class", managed = false, testable = false)
    static WebArchive everyClass() {
        WebArchive war = Deployments.named("refused.war").addPackage(BeanManagedBean.class.getPackage());
        war.delete(BEANS_XML);
        return war.addAsWebInfResource(
                new StringAsset("<beans xmlns=\"https://jakarta.ee/xml/ns/jakartaee\" bean-discovery-mode=\"all\"/>"),
                "beans.xml");
    }

    @Deployment(name = "no beans.xml", managed = false, testable = false)
    static WebArchive withoutBeansXml() {
        WebArchive war = Deployments.outbox("refused-alone.war").addClass(BeanManagedBean.class);
        war.delete(BEANS_XML);
        return war;
    }

    @Tag("full")
    @Test
    void loneConsumerFailsTheDeploymentToo() {
        assertThat(logOfFailed("no beans.xml"))
                .contains("OBX-0505: " + BeanManagedBean.class.getName() + " cannot be an idempotent consumer")
                .contains("bean-managed");
    }

    /** No interceptor would run for this consumer, so each copy would take effect. */
    @Test
    void consumerThatCdiDoesNotSeeFailsTheDeployment() {
        WebArchive war = Deployments.outbox("refused-unseen.war").addClass(LoneBean.class);
        war.delete(BEANS_XML);
        war.addAsWebInfResource(
                new StringAsset("<beans xmlns=\"https://jakarta.ee/xml/ns/jakartaee\" bean-discovery-mode=\"none\"/>"),
                "beans.xml");
        int before = ManagedServer.log().length();
        ManagedServer.drop(war);
        try {
            // Arquillian would wait for a minute: Liberty does not report a web application that cannot start as a
            // failure.
            await().atMost(SOON).until(() -> ManagedServer.log()
                    .substring(before)
                    .contains("The application refused-unseen was not started"));
        } finally {
            ManagedServer.remove(war);
        }
        assertThat(ManagedServer.log().substring(before))
                .containsPattern("E OBX-0505: " + LoneBean.class.getName() + " cannot be an idempotent consumer")
                .contains("CDI looks for no beans where it is");
    }

    @Test
    void consumersThatCouldNotBeIdempotentFailTheDeployment() {
        assertThat(logOfFailed("every class"))
                .contains("OBX-0505: " + BeanManagedBean.class.getName() + " cannot be an idempotent consumer")
                .contains("bean-managed")
                .contains("OBX-0505: " + OnAnInterface.class.getName() + " cannot be an idempotent consumer")
                .contains("it is an interface")
                .contains("OBX-0505: " + OutsideBean.class.getName() + " cannot be an idempotent consumer")
                .contains("onMessage() runs without a transaction (NOT_SUPPORTED)")
                .contains("OBX-0505: " + OfUnknownOutbox.class.getName() + " cannot be an idempotent consumer")
                .contains("its outbox 'nobody's' is not configured (key outbox.outboxes.nobody's.datasource)");
    }

    private String logOfFailed(String deployment) {
        int before = ManagedServer.log().length();
        assertThatThrownBy(() -> deployer.deploy(deployment)).isInstanceOf(Exception.class);
        return ManagedServer.log().substring(before);
    }
}
