package dev.cdioutbox.internal.capture.event;

import java.util.regex.Pattern;

/**
 * Checks correlation ids for JMS: one that begins with ID: must be the id of a message (Jakarta Messaging 3.1, 3.4.3).
 */
public final class CorrelationIds {
    private static final Pattern MESSAGE_ID = Pattern.compile("ID:([0-9a-fA-F]{2})*");

    private CorrelationIds() {}

    public static boolean isSendable(String id) {
        return id == null || !id.startsWith("ID:") || MESSAGE_ID.matcher(id).matches();
    }
}
