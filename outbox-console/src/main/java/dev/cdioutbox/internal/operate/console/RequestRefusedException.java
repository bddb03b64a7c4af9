package dev.cdioutbox.internal.operate.console;

import dev.cdioutbox.internal.code.OutboxCode;

/** Answers a request with a status and a sentence for the user. */
final class RequestRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String code;

    RequestRefusedException(int status, String sentence) {
        this(status, sentence, OutboxCode.REQUEST_REFUSED);
    }

    RequestRefusedException(int status, String sentence, OutboxCode code) {
        super(sentence, null, false, false);
        this.status = status;
        this.code = code.code();
    }

    static RequestRefusedException badRequest(String sentence) {
        return new RequestRefusedException(400, sentence);
    }

    static RequestRefusedException notFound() {
        return new RequestRefusedException(404, "There is nothing here.");
    }

    static RequestRefusedException needs(String role) {
        return new RequestRefusedException(403, "The role " + role + " is needed.");
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }
}
