package dev.cdioutbox.tests.servers;

/** It has neither MicroProfile Health nor Metrics. */
class GlassFishIT extends OnGlassFish {

    GlassFishIT() {
        super("glassfish");
    }
}
