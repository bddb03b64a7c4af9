package dev.cdioutbox.sample;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** Puts the REST resources under {@code /api}. */
@ApplicationPath("/api")
public class SampleApplication extends Application {}
