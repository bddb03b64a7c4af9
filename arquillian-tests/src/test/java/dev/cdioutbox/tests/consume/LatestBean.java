package dev.cdioutbox.tests.consume;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;

/** Handles only the latest message of each key. */
@MessageDriven(
        activationConfig = @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/latest"))
public class LatestBean extends LatestOfEachKey {}
