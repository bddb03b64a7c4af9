package dev.cdioutbox.tests.bench;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Map.Entry;
import java.util.stream.Stream;

/**
 * Draws each ratio with a target as its distance from the goal, on a logarithmic axis. To the right of the goal is better,
 * also where a lower ratio is better. Goal and limit stand beside each ratio.
 */
final class Chart {
    private static final int WIDTH = 1280;
    private static final int LINE = 24;
    private static final int TOP = 48;
    private static final int BOTTOM = 40;
    private static final int LEFT = 520;
    private static final int RIGHT = 310;
    /** The axis ends at an eighth of the goal and at eight times the goal. */
    private static final double DOUBLINGS = 3;

    private static final List<String> TICKS = List.of("1/8", "1/4", "1/2", "1", "2", "4", "8");

    private final List<Entry<Row, Result.Comparison>> lines;

    Chart(Map<Messaging, Map<Row, Result>> results) {
        lines = Stream.of(Messaging.LIBERTY, Messaging.KAFKA)
                .flatMap(broker -> results.getOrDefault(broker, Map.of()).entrySet().stream())
                .flatMap(entry -> entry.getValue().comparisons().stream()
                        .filter(comparison -> comparison.target() != null)
                        .map(comparison -> Map.entry(entry.getKey(), comparison)))
                .toList();
    }

    String svg() {
        int height = TOP + lines.size() * LINE + BOTTOM;
        StringBuilder svg = new StringBuilder();
        svg.append("""
                <svg xmlns="http://www.w3.org/2000/svg" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" \
                font-family="sans-serif" font-size="12" role="img">
                <title>Each ratio, as its distance from the goal</title>
                <style>
                svg{fill:#1f2328}
                @media (prefers-color-scheme:dark){
                svg{fill:#e6edf3}
                .page{fill:#0d1117}
                [fill="#555"]{fill:#9198a1}
                [stroke="#333"],[stroke="#555"]{stroke:#9198a1}
                }
                </style>
                <rect class="page" width="%1$d" height="%2$d" fill="white"/>
                <text x="%3$.0f" y="20" text-anchor="middle">goal</text>
                <line x1="%3$.0f" y1="28" x2="%3$.0f" y2="%4$d" stroke="#333"/>
                """.formatted(WIDTH, height, x(1), height - BOTTOM));
        for (int i = 0; i < lines.size(); i++) {
            draw(svg, lines.get(i).getKey(), lines.get(i).getValue(), TOP + i * LINE);
        }
        for (int i = 0; i < TICKS.size(); i++) {
            svg.append("<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\" fill=\"#555\">%s</text>\n"
                    .formatted(x(Math.pow(2, i - DOUBLINGS)), height - 22, TICKS.get(i)));
        }
        svg.append("<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#555\">%s</text>\n"
                .formatted(
                        (LEFT + WIDTH - RIGHT) / 2,
                        height - 6,
                        "worse than the goal ← → better; the bar is the 95 % interval, the small mark the limit"));
        return svg.append("</svg>\n").toString();
    }

    private static void draw(StringBuilder svg, Row row, Result.Comparison comparison, int y) {
        Target target = comparison.target();
        Interval ratio = comparison.ratio();
        String colour =
                switch (comparison.verdict()) {
                    case "goal" -> "#1a7f37";
                    case "floor" -> "#9a6700";
                    default -> "#cf222e";
                };
        double low = x(distance(target, ratio.low()));
        double high = x(distance(target, ratio.high()));
        double floor = x(distance(target, target.floor()));
        svg.append(String.format(
                Locale.ROOT,
                """
                <text x="%d" y="%d" text-anchor="end">%s</text>
                <line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#555"/>
                <line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s" stroke-width="4" opacity=".4"/>
                <circle cx="%.1f" cy="%d" r="5" fill="%s"/>
                <text x="%d" y="%d" fill="%s">%s %s (goal %s, limit %s)</text>
                """,
                LEFT - 12,
                y + 4,
                text(row, comparison),
                floor,
                y - 6,
                floor,
                y + 6,
                Math.min(low, high),
                y,
                Math.max(low, high),
                y,
                colour,
                x(distance(target, ratio.median())),
                y,
                colour,
                WIDTH - RIGHT + 12,
                y + 4,
                colour,
                BenchmarkPage.number(ratio.median()),
                verdict(comparison),
                BenchmarkPage.goal(target),
                BenchmarkPage.limit(target)));
    }

    private static String verdict(Result.Comparison comparison) {
        return switch (comparison.verdict()) {
            case "goal" -> "reaches the goal";
            case "floor" -> "keeps the limit";
            default -> "misses the limit";
        };
    }

    private static String text(Row row, Result.Comparison comparison) {
        String text = row + " " + comparison.what() + (comparison.over().isEmpty() ? "" : " ÷ " + comparison.over());
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private static double distance(Target target, double ratio) {
        return target.atMost() ? target.goal() / ratio : ratio / target.goal();
    }

    private static double x(double distance) {
        double doublings = Math.log(distance) / Math.log(2);
        double clamped = Math.max(-DOUBLINGS, Math.min(DOUBLINGS, doublings));
        return LEFT + (clamped + DOUBLINGS) / (2 * DOUBLINGS) * (WIDTH - LEFT - RIGHT);
    }
}
