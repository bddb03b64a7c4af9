package dev.cdioutbox.tests.bench.app;

/** An event of the benchmark, and what the other ways of sending need to know of it. */
public interface BenchEvent {
    /** The bytes of a payload. */
    int PAYLOAD = 1024;

    String account();

    String text();

    /** Returns the JNDI name of the queue that gets the event without the outbox. */
    String queue();

    /** Returns a text that begins with a number, and with which the event has {@link #PAYLOAD} bytes as JSON. */
    static String text(long number, String account) {
        String begin = "#" + number + ";";
        return begin
                + "x".repeat(PAYLOAD - "{\"account\":\"\",\"text\":\"\"}".length() - account.length() - begin.length());
    }

    /** Returns the number in the text or the JSON of an event. */
    static long number(String body) {
        int begin = body.indexOf('#') + 1;
        return Long.parseLong(body.substring(begin, body.indexOf(';', begin)));
    }
}
