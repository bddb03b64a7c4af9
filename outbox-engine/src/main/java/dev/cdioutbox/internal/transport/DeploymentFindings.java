package dev.cdioutbox.internal.transport;

import dev.cdioutbox.internal.code.Finding;

/** Takes what is wrong with the deployment, and does not prevent it. */
public interface DeploymentFindings {

    /** Logs a finding, and keeps it for the doctor: it stays so as long as the application runs. */
    void report(Finding finding);
}
