package dev.cdioutbox.testing;

import java.util.List;

/** Finds the messages that a test waits for. Each call returns the first ten. */
interface MessageSource {
    int LIMIT = 10;

    List<SeenMessage> undelivered();

    List<SeenMessage> abandoned(String key);
}
