package dev.cdioutbox.tests.recipes;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
public class HandledRequest {
    @Id
    private String idempotencyKey;

    private String answer;

    /** For Jakarta Persistence. */
    protected HandledRequest() {}

    HandledRequest(String idempotencyKey, String answer) {
        this.idempotencyKey = idempotencyKey;
        this.answer = answer;
    }

    String answer() {
        return answer;
    }
}
