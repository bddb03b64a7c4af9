package dev.cdioutbox.tests.discovery;

/** A subclass that says nothing of its own. */
public class ChangedTwice extends Changed<Integer> {

    public ChangedTwice(String id) {
        super(id, 2);
    }
}
