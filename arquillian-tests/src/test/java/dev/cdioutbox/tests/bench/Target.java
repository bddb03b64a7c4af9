package dev.cdioutbox.tests.bench;

/**
 * The limits that a figure should reach.
 *
 * @param floor the figure that is just acceptable
 * @param goal the figure that the project wants
 * @param atMost whether a lower figure is better
 */
record Target(double floor, double goal, boolean atMost) {
    static Target atLeast(double floor, double goal) {
        return new Target(floor, goal, false);
    }

    static Target atMost(double floor, double goal) {
        return new Target(floor, goal, true);
    }

    String verdict(double figure) {
        if (reaches(figure, goal)) {
            return "goal";
        }
        return reaches(figure, floor) ? "floor" : "below the floor";
    }

    private boolean reaches(double figure, double limit) {
        return atMost ? figure <= limit : figure >= limit;
    }
}
