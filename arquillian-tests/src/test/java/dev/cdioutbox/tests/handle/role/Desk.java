package dev.cdioutbox.tests.handle.role;

/** The only view of {@link Clerk}. */
public interface Desk<T> {
    void accept(T entrusted);
}
