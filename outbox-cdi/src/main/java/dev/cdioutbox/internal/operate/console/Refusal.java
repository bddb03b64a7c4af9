package dev.cdioutbox.internal.operate.console;

/** A request is answered with a status and a sentence that the asker may read. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    Refusal(int status, String sentence) {
        super(sentence, null, false, false);
        this.status = status;
    }

    static Refusal badRequest(String sentence) {
        return new Refusal(400, sentence);
    }

    static Refusal notFound() {
        return new Refusal(404, "There is nothing here.");
    }

    int status() {
        return status;
    }
}
