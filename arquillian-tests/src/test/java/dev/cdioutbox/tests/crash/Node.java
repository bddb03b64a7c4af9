package dev.cdioutbox.tests.crash;

/**
 * The objects that all edges of one node process share. A process has one node, since branches come out of the transaction log without any
 * reference to it.
 */
record Node(String name, Report report, Breakpoint breakpoint, Resources resources, WrongEngine wrong) {
    private static volatile Node node;

    static Node get() {
        return node;
    }

    static void set(Node one) {
        node = one;
    }
}
