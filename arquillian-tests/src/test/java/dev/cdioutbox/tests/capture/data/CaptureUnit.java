package dev.cdioutbox.tests.capture.data;

import jakarta.ejb.Stateless;
import jakarta.persistence.PersistenceUnit;

/** Names the persistence unit for the repository. */
@Stateless
@PersistenceUnit(name = "java:app/env/capture", unitName = "capture")
public class CaptureUnit {}
