import { minute } from './format.js';

const SVG = 'http://www.w3.org/2000/svg';
const HEIGHT = 132;
const EDGE = { left: 52, right: 10, top: 8, bottom: 20 };
const WINDOW_MILLIS = 15 * 60_000;
const TICK_MILLIS = 5 * 60_000;
const STEPS = [1, 2, 5, 10];
const SECONDS = [2, 10, 20, 60, 120, 300, 600, 1200, 3600, 7200, 14_400, 43_200, 86_400];

/**
 * Draws lines over the last quarter of an hour.
 *
 * @param svg where to
 * @param lines {series, points: [{at, value}]}
 * @param label what a value is called on the scale
 * @param ceiling the top of the scale for a highest value
 */
export function draw(svg, lines, label, ceiling) {
  const width = Math.max(240, svg.clientWidth);
  const end = Math.max(Date.now(), ...lines.flatMap(({ points }) => points.map(({ at }) => at)));
  const top = ceiling(Math.max(0, ...lines.flatMap(({ points }) => points.map(({ value }) => value))));
  const x = (at) => EDGE.left + ((at - end + WINDOW_MILLIS) / WINDOW_MILLIS) * (width - EDGE.left - EDGE.right);
  const y = (value) => HEIGHT - EDGE.bottom - (value / top) * (HEIGHT - EDGE.top - EDGE.bottom);

  svg.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
  svg.replaceChildren(
    ...[0, top / 2, top].flatMap((value) => [
      node('line', { class: 'grid', x1: EDGE.left, x2: width - EDGE.right, y1: y(value), y2: y(value) }),
      text(EDGE.left - 8, y(value) + 4, 'end', label(value)),
    ]),
    ...ticks(end).map((at) => text(x(at), HEIGHT - 4, 'middle', minute(at))),
    ...lines.flatMap(({ series, points }) => line(series, points.filter(({ at }) => x(at) >= EDGE.left), x, y)),
  );
}

function line(series, points, x, y) {
  if (points.length < 2) {
    return [];
  }
  const path = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' L');
  const area = `M${x(points[0].at).toFixed(1)},${y(0)} L${path} L${x(points.at(-1).at).toFixed(1)},${y(0)} Z`;
  return [
    node('path', { class: 'area', 'data-series': series, d: area }),
    node('path', { class: 'line', 'data-series': series, d: `M${path}` }),
  ];
}

/** A round number not below the value, so that the scale does not change with every sample. */
export function roundNumber(value) {
  if (value <= 1) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(value));
  return STEPS.find((step) => step * power >= value) * power;
}

export function roundTime(seconds) {
  return SECONDS.find((step) => step >= seconds) ?? Math.ceil(seconds / 86_400) * 86_400;
}

function ticks(end) {
  const last = Math.floor(end / TICK_MILLIS) * TICK_MILLIS;
  return [last - 2 * TICK_MILLIS, last - TICK_MILLIS, last].filter((at) => at > end - WINDOW_MILLIS + 60_000 && at < end - 20_000);
}

function text(x, y, anchor, content) {
  const made = node('text', { x, y, 'text-anchor': anchor });
  made.textContent = content;
  return made;
}

function node(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  return made;
}
