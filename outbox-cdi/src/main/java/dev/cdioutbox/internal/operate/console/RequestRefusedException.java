package dev.cdioutbox.internal.operate.console;

/** Answers a request with a status and a sentence for the user. */
final class RequestRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    RequestRefusedException(int status, String sentence) {
        super(sentence, null, false, false);
        this.status = status;
    }

    static RequestRefusedException badRequest(String sentence) {
        return new RequestRefusedException(400, sentence);
    }

    static RequestRefusedException notFound() {
        return new RequestRefusedException(404, "There is nothing here.");
    }

    int status() {
        return status;
    }
}
