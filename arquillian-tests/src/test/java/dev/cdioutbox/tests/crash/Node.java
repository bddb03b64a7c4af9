package dev.cdioutbox.tests.crash;

/**
 * The objects that the parts of one node process share. A static field holds the node: branches from the transaction
 * log have no reference to it.
 */
record Node(String name, Mode mode, Report report, Breakpoint breakpoint, Resources resources, WrongEngine wrong) {
    private static volatile Node node;

    static Node get() {
        return node;
    }

    static void set(Node one) {
        node = one;
    }
}
