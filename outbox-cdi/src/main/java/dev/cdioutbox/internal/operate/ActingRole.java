package dev.cdioutbox.internal.operate;

import jakarta.enterprise.context.RequestScoped;

/** The role by which the console lets the caller of this request act, for the audit. */
@RequestScoped
public class ActingRole {
    private String name;

    public void set(String role) {
        name = role;
    }

    /** Null for a caller that is not the console. */
    public String name() {
        return name;
    }
}
