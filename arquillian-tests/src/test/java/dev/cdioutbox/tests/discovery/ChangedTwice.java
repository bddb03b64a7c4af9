package dev.cdioutbox.tests.discovery;

/** A subclass without annotations. */
public class ChangedTwice extends Changed<Integer> {

    public ChangedTwice(String id) {
        super(id, 2);
    }
}
