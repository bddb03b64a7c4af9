package dev.cdioutbox.tests.consume;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;

/** Wants the latest of each key only. */
@MessageDriven(
        activationConfig = @ActivationConfigProperty(propertyName = "destinationLookup", propertyValue = "jms/latest"))
public class LatestBean extends LatestOfEachKey {}
