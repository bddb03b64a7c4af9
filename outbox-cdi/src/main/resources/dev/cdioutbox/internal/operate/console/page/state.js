import { draw, roundNumber, roundTime } from './chart.js';
import { button, byId, element, setText } from './dom.js';
import { address } from './filter.js';
import { count, duration, plural, time } from './format.js';

export const ALL = '*';
const SLOW_MILLIS = 60_000;
const COUNTED = ['pending', 'failed', 'abandoned'];

/** Shows how the outbox is. */
export function show(state, steer) {
  const age = state.oldest ? Date.parse(state.readAt) - Date.parse(state.oldest) : 0;
  setText(byId('application'), state.application === 'default' ? '' : state.application);
  for (const name of COUNTED) {
    byId(name).href = address({ status: name.toUpperCase() });
    setText(byId(name), state[name] >= state.cap ? `${count(state.cap)}+` : count(state[name]));
    byId(name).closest('.tile').dataset.zero = state[name] === 0;
  }
  setText(byId('oldest'), state.oldest ? duration(age) : 'none');
  showVerdicts(verdicts(state, age));
  showDestinations(state, steer);
  showNodes(state.nodes);
  showCharts(state.samples, age);
}

/** Another outbox is looked at; how that one is, is not known yet. */
export function leave() {
  for (const name of [...COUNTED, 'oldest']) {
    setText(byId(name), '–');
  }
  for (const name of COUNTED) {
    byId(name).href = address({ status: name.toUpperCase() });
  }
  byId('verdicts').replaceChildren();
  byId('destinations').replaceChildren();
  byId('destinations').dataset.shown = '';
  byId('pause-all').disabled = true;
}

/** What an operator has to know, the worst first. */
function verdicts(state, age) {
  const waiting = state.pending + state.failed;
  const found = [];
  if (state.abandoned > 0) {
    found.push(['bad', `${plural(state.abandoned, 'message')} abandoned. Nobody tries again but you.`]);
  }
  if (state.paused.includes(ALL)) {
    found.push(['wait', 'All destinations are paused. Messages are stored and wait.']);
  } else if (state.paused.length > 0) {
    found.push(['wait', `Paused: ${state.paused.join(', ')}. Their messages wait.`]);
  }
  if (waiting > 0 && !state.nodes.some(({ alive }) => alive)) {
    found.push(['bad', 'No node dispatches. What waits stays until one does.']);
  }
  if (!state.dispatching) {
    found.push(['wait', 'The dispatcher is switched off on this node (outbox.dispatcher.enabled).']);
  }
  if (state.failed > 0) {
    found.push(['wait', `${plural(state.failed, 'message')} failed and will be tried again.`]);
  }
  if (waiting > 0 && age > SLOW_MILLIS) {
    found.push(['wait', `The oldest message has waited for more than ${wholeMinutes(age)}.`]);
  }
  const troubled = Object.keys(state.troubles);
  if (waiting > 0 && troubled.length > 0) {
    const why = troubled.map((name) => `to ${name}: ${state.troubles[name].reason}`).join('; ');
    found.unshift(['bad', `Delivery fails on this node, ${why}.`]);
  } else if (failing(state.samples)) {
    found.push(['bad', 'Delivery is failing on this node. The last errors stand at the messages and in the log.']);
  }
  if (found.length === 0) {
    found.push(['good', waiting > 0 ? `All is well. ${plural(waiting, 'message')} on the way.` : 'All is well. Nothing waits.']);
  }
  return found;
}

/** Coarse, so that a live region does not speak with every look. */
function wholeMinutes(millis) {
  const minutes = Math.floor(millis / 60_000);
  return minutes < 60 ? `${minutes} min` : plural(Math.floor(minutes / 60), 'hour');
}

/** Whether all that happened in the last samples is failures. */
function failing(samples) {
  const [first, last] = [samples.at(-4), samples.at(-1)];
  return first !== undefined && last.failures > first.failures && last.published === first.published;
}

function showVerdicts(found) {
  const shown = found.map(([kind, text]) => {
    const verdict = element('li', 'verdict', text);
    verdict.dataset.kind = kind;
    return verdict;
  });
  // A live region is read out when it changes; so it changes only when it says something else.
  if ([...byId('verdicts').children].map((each) => each.textContent).join() !== found.map(([, text]) => text).join()) {
    byId('verdicts').replaceChildren(...shown);
  }
}

function showDestinations(state, steer) {
  const isWaiting = state.pending + state.failed > 0;
  const signature = JSON.stringify([state.outbox, state.destinations, state.paused, state.troubles, isWaiting]);
  if (byId('destinations').dataset.shown === signature) {
    return;
  }
  byId('destinations').dataset.shown = signature;
  byId('destinations').replaceChildren(
    ...state.destinations.map((name) => {
      const paused = state.paused.includes(name);
      const act = button('quiet', paused ? 'Resume…' : 'Pause…', () => steer.pause(name, !paused, state.outbox));
      act.setAttribute('aria-label', `${paused ? 'Resume' : 'Pause'} ${name}`);
      const status = element('span', 'badge', paused ? 'Paused' : state.paused.includes(ALL) ? 'Paused with all' : 'Open');
      status.dataset.status = paused || state.paused.includes(ALL) ? 'PENDING' : 'PUBLISHED';
      const trouble = state.troubles[name];
      const failed = trouble ? element('span', isWaiting ? 'reason' : 'hint', `Last failure ${time(new Date(trouble.at))}: ${trouble.reason}`) : '';
      return element('li', '', element('span', 'name', element('span', 'mono', name), failed), status, act);
    }),
  );
  const all = state.paused.includes(ALL);
  setText(byId('pause-all'), all ? 'Resume all…' : 'Pause all…');
  byId('pause-all').disabled = false;
  byId('pause-all').onclick = () => steer.pause(ALL, !all, state.outbox);
}

function showNodes(nodes) {
  const signature = JSON.stringify(nodes.map(({ lastSeenAt, ...node }) => (node.alive ? node : { ...node, lastSeenAt })));
  if (byId('nodes').dataset.shown === signature) {
    return;
  }
  byId('nodes').dataset.shown = signature;
  byId('nodes').replaceChildren(
    ...(nodes.length > 0 ? nodes.map(node) : [element('li', 'hint', 'No node has dispatched yet.')]),
  );
}

/** Alive or dead, where it is, what it is, and what it holds. */
function node({ host, server, process, version, startedAt, lastSeenAt, alive, partitions }) {
  const status = element('span', 'badge', alive ? 'Alive' : 'Silent');
  status.dataset.status = alive ? 'PUBLISHED' : 'EXPIRED';
  const since = alive ? `since ${time(new Date(startedAt))}` : `last seen ${time(new Date(lastSeenAt))}`;
  return element(
    'li',
    '',
    status,
    element('span', 'name', element('b', '', server), ` on ${host}, process ${process}, version ${version}`),
    element('span', 'hint', alive ? `${since} · ${plural(partitions, 'partition')} held` : since),
  );
}

function showCharts(samples, age) {
  const rates = ['captured', 'published', 'failures'].map((series) => ({ series, points: perSecond(samples, series) }));
  for (const { series, points } of rates) {
    setText(byId(`rate-${series}`), points.length > 0 ? rate(points.at(-1).value) : '–');
  }
  setText(byId('age-now'), duration(age));
  draw(byId('rates'), rates, rate, roundNumber);
  byId('rates').setAttribute(
    'aria-label',
    `Messages per second: ${rates.map(({ series, points }) => `${series} ${rate(points.at(-1)?.value ?? 0)}`).join(', ')}`,
  );
  draw(byId('ages'), [{ series: 'age', points: samples.map((each) => ({ at: each.at, value: each.age })) }], seconds, roundTime);
  byId('ages').setAttribute('aria-label', `Age of the oldest waiting message: ${duration(age)}`);
}

/** The counters only grow; a rate is what they grew by between two samples. */
function perSecond(samples, series) {
  return samples.slice(1).map((sample, index) => ({
    at: sample.at,
    value: (1000 * (sample[series] - samples[index][series])) / Math.max(1, sample.at - samples[index].at),
  }));
}

function rate(value) {
  return value >= 100 || Number.isInteger(value) ? count(Math.round(value)) : value.toFixed(1);
}

function seconds(value) {
  return value < 60 ? `${rate(value)} s` : value < 3600 ? `${rate(value / 60)} min` : value < 86_400 ? `${rate(value / 3600)} h` : `${rate(value / 86_400)} d`;
}
