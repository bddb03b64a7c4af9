import { draw, roundNumber, roundTime } from './chart.js';
import { button, byId, element, setText } from './dom.js';
import { address } from './filter.js';
import { count, duration, plural, time } from './format.js';
import * as role from './role.js';

export const ALL = '*';
const SLOW_MILLIS = 60_000;
const END_DOUBT = 'A transaction holds what is in doubt and does not end, so the keys wait. Start the server that died, with its'
  + ' transaction log. If the log is lost, end the transaction by hand, in the database and in the broker. PostgreSQL: SELECT gid'
  + " FROM pg_prepared_xacts, then ROLLBACK PREPARED or COMMIT PREPARED. MariaDB: XA RECOVER FORMAT='SQL', then XA ROLLBACK or XA"
  + ' COMMIT. ActiveMQ: the MBeans with transactionType=RecoveredXaTransaction. Which of the two: docs/howto/transactions-in-doubt.md.';
/** The node counts no further. */
const MANY_LETTERS = 100;
const COUNTED = ['pending', 'failed', 'abandoned'];

/** Shows how the outbox is. */
export function show(state, operations, open, lookUp) {
  const age = state.oldest ? Date.parse(state.readAt) - Date.parse(state.oldest) : 0;
  setText(byId('application'), state.application === 'default' ? '' : state.application);
  for (const name of COUNTED) {
    byId(name).href = address({ status: name.toUpperCase() });
    setText(byId(name), state[name] >= state.cap ? `${count(state.cap)}+` : count(state[name]));
    byId(name).closest('.tile').dataset.zero = state[name] === 0;
  }
  setText(byId('oldest'), state.oldest ? duration(age) : 'none');
  byId('stuck').hidden = !state.stuck?.id;
  byId('stuck').onclick = () => open(state.stuck.id);
  showVerdicts(verdicts(state, age));
  showDestinations(state, operations);
  showNodes(state.nodes);
  showConsumers(state.consumers, lookUp);
  showCharts(state.samples, age);
}

/** An outdated state must not look healthy. */
export function outdated(seenAt) {
  showVerdicts([['wait', seenAt ? `Nothing new is known. What is shown is how it was at ${time(seenAt)}.` : 'Nothing is known yet.']]);
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
  byId('stuck').hidden = true;
}

/** What an operator has to know, the worst first. */
function verdicts(state, age) {
  const waiting = state.pending + state.failed;
  const found = [];
  if (state.abandoned > 0) {
    const rest = state.abandoned === 1 ? 'It is sent only if you retry it.' : 'They are sent only if you retry them.';
    found.push(['bad', `${plural(state.abandoned, 'message')} abandoned. ${rest}`]);
  }
  if (state.paused.includes(ALL)) {
    found.push(['wait', 'All destinations are paused. Messages are stored and wait.']);
  } else if (state.paused.length > 0) {
    found.push(['wait', `Paused: ${state.paused.join(', ')}. What goes there waits.`]);
  }
  if (waiting > 0 && state.idle) {
    found.push(['bad', 'No node dispatches. What waits stays until one does.']);
  }
  if (!state.dispatching) {
    found.push(['wait', 'The dispatcher is switched off on this node (outbox.dispatcher.enabled).']);
  }
  if (state.shadowDestination) {
    const where = state.shadowDestination === 'discard' ? 'nowhere' : `to ${state.shadowDestination}`;
    found.push(['wait', `This node only shadows: it sends ${where} what is due, and settles it with a mark (outbox.dispatcher.shadow-destination).`]);
  }
  if (state.failed > 0) {
    found.push(['wait', `${plural(state.failed, 'message')} failed and will be tried again.`]);
  }
  if (waiting > 0 && age > SLOW_MILLIS) {
    const why = state.stuck?.why ? `: ${lowerFirst(state.stuck.why)}` : '.';
    found.push(['wait', `The oldest message has waited for more than ${wholeMinutes(age)}${why}`]);
  }
  const destinations = Object.entries(state.destinations);
  // Nothing is sent to a paused one, so its last failure is no news.
  const open = destinations.filter(([name]) => !state.paused.includes(name) && !state.paused.includes(ALL));
  const failed = open.filter(([, { failure }]) => failure !== null);
  if (waiting > 0 && failed.length > 0) {
    const what = failed.map(([name, { failure }]) => `Delivery to ${name} fails on this node: ${failure.reason}.`);
    found.unshift(['bad', what.join(' ')]);
  } else if (open.length > 0 && failing(state.samples)) {
    found.push(['bad', 'Delivery is failing on this node. Each message shows its last error; the log has all.']);
  }
  const silent = destinations.filter(([, { silentSeconds }]) => silentSeconds !== null);
  if (silent.length > 0) {
    const where = silent.map(([name, { silentSeconds }]) => `to ${name} for more than ${wholeMinutes(1000 * silentSeconds)}`).join(', ');
    found.unshift(['bad', `A delivery on this node waits for the broker or the database to answer: ${where}. If these answer others, restart this server: that frees what it holds.`]);
  }
  const doubtful = destinations.filter(([, { inDoubt }]) => inDoubt !== null);
  if (doubtful.length > 0) {
    const where = doubtful.map(([name, { inDoubt }]) => `${plural(inDoubt.messages, 'message')} to ${name} for more than ${wholeMinutes(1000 * inDoubt.seconds)}${inDoubt.followers > 0 ? `, with ${plural(inDoubt.followers, 'message')} behind` : ''}`).join(', ');
    found.unshift(['bad', `In doubt: ${where}. ${END_DOUBT}`]);
  }
  for (const { name, last } of state.consumers.filter(({ failing: isFailing }) => isFailing)) {
    found.push(['wait', `Consumer ${name} failed in the last 5 minutes: ${last.reason}.`]);
  }
  for (const { name, letters } of state.deadLetterQueues.filter(({ letters: number }) => number !== 0)) {
    found.push(['wait', letters === null
      ? `Whether dead letters wait in ${name} is not known: this node has not been able to look lately.`
      : `${letters < MANY_LETTERS ? '' : 'At least '}${plural(letters, 'dead letter')} of consumers in ${name}. Look at why below, then send back or discard.`]);
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

const lowerFirst = (sentence) => sentence.charAt(0).toLowerCase() + sentence.slice(1);

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

function showDestinations(state, operations) {
  const isWaiting = state.pending + state.failed > 0;
  const rows = Object.entries(state.destinations).map(([name, { failure, silentSeconds, backfill, promises }]) => [name, failure, silentSeconds !== null, backfill, promises]);
  const signature = JSON.stringify([state.outbox, rows, state.paused, isWaiting]);
  if (byId('destinations').dataset.shown !== signature) {
    byId('destinations').dataset.shown = signature;
    renderDestinations(state, operations, isWaiting);
  }
  // Apart from the rows, which hold a button that the user may be about to press.
  const details = byId('destinations').querySelectorAll('.details');
  Object.values(state.destinations).forEach((destination, index) => setText(details[index], detailsOf(destination, state.readAt)));
}

/** Where it leads, what it promises, and what waits for it. */
function detailsOf({ address, guarantee, proven, waiting, capped, oldest, heldBackTo }, readAt) {
  const promise = guarantee === null ? 'guarantee unknown on this node' : proven ? guarantee : `${guarantee}, not possible now`;
  const number = `${count(waiting)}${capped ? ' or more' : ''} waiting`;
  const age = oldest && `the oldest for ${duration(Date.parse(readAt) - Date.parse(oldest))}`;
  const limit = heldBackTo && `held back to ${count(heldBackTo)} a second on this node`;
  return [address, promise, [number, age, limit].filter(Boolean).join(', ')].join(' · ');
}

function renderDestinations(state, operations, isWaiting) {
  byId('destinations').replaceChildren(
    ...Object.entries(state.destinations).map(([name, destination]) => {
      const { backfill } = destination;
      const isCopying = backfill?.running === true;
      const paused = isCopying ? backfill.paused : state.paused.includes(name);
      const others = Object.keys(state.destinations).filter((other) => other !== name);
      const copies = isCopying
        ? change('Cancel backfill…', () => operations.cancelBackfill(name, state.outbox))
        : change('Backfill…', () => operations.backfill(name, others, state.outbox));
      copies.setAttribute('aria-label', `${isCopying ? 'Cancel the backfill of' : 'Backfill'} ${name}`);
      const toggle = change(paused ? 'Resume…' : 'Pause…', () => operations.pause(name, !paused, state.outbox));
      toggle.setAttribute('aria-label', `${paused ? 'Resume' : 'Pause'} ${name}`);
      const [text, kind] = condition(state.paused, name, destination, isWaiting);
      const status = element('span', 'badge', text);
      status.dataset.status = kind;
      const { failure } = destination;
      const failed = failure ? element('span', isWaiting ? 'reason' : 'hint', `Last failure ${time(new Date(failure.at))}: ${failure.reason}`) : '';
      return element('li', '', element('span', 'name', element('span', 'mono', name), element('span', 'hint details', ''), failed, promised(destination)), status, ...(isCopying || others.length > 0 ? [copies] : []), toggle);
    }),
  );
  const all = state.paused.includes(ALL);
  setText(byId('pause-all'), all ? 'Resume all…' : 'Pause all…');
  role.guard(byId('pause-all'), role.OPERATOR);
  byId('pause-all').onclick = () => operations.pause(ALL, !all, state.outbox);
}

const change = (text, onClick) => role.guard(button('quiet', text, onClick), role.OPERATOR);

/** What the guarantee means, on request. */
function promised({ promises }) {
  if (promises === null) {
    return '';
  }
  const condition = promises.condition ? [`Proven if ${promises.condition}.`] : [];
  const text = [
    `If this process dies: ${promises.processDeath}; its host: ${promises.hostDeath}; the broker: ${promises.brokerDeath};`,
    `if the transaction log is lost: ${promises.lostLog}.`,
    ...condition,
  ].join(' ');
  return element('details', 'hint', element('summary', '', 'What if something dies'), text);
}

/** What its badge says, and the colour of which state it has. */
function condition(paused, name, { failure, silentSeconds, backfill, guarantee }, isWaiting) {
  if (backfill?.running) {
    return [`Backfill${backfill.paused ? ' paused' : ''}: ${count(backfill.copied)} copied, ${count(backfill.skipped)} skipped`, 'PENDING'];
  }
  if (paused.includes(name)) {
    return ['Paused', 'PENDING'];
  }
  if (paused.includes(ALL)) {
    return ['Paused with all', 'PENDING'];
  }
  if (silentSeconds !== null) {
    return ['No answer', 'ABANDONED'];
  }
  if (isWaiting && failure !== null) {
    return ['Failing', 'ABANDONED'];
  }
  return guarantee === null ? ['Not used yet', ''] : ['Open', 'PUBLISHED'];
}

function showNodes(nodes) {
  const signature = JSON.stringify(
    nodes.map(({ node: { lastSeenAt, silentFor, ...place }, ...state }) => [place, state, place.alive ? '' : lastSeenAt]),
  );
  if (byId('nodes').dataset.shown === signature) {
    return;
  }
  byId('nodes').dataset.shown = signature;
  byId('nodes').replaceChildren(
    ...(nodes.length > 0 ? nodes.map(node) : [element('li', 'hint', 'No node has dispatched yet.')]),
  );
}

/** Alive or dead, where it is, what it is, and what it holds. */
function node({ node: { host, server, process, version, startedAt, lastSeenAt, partitions, alive }, here, disabled }) {
  const status = element('span', 'badge', disabled ? 'Off' : alive ? 'Alive' : 'Silent');
  status.dataset.status = disabled ? 'PENDING' : alive ? 'PUBLISHED' : 'EXPIRED';
  const since = alive ? `since ${time(new Date(startedAt))}` : `last seen ${time(new Date(lastSeenAt))}`;
  return element(
    'li',
    '',
    status,
    element('span', 'name', element('b', '', server), ` on ${host}, process ${process}, version ${version}${here ? '; serves this page' : ''}`),
    element('span', 'hint', alive ? `${since} · ${plural(partitions, 'partition')} held` : since),
  );
}

function showConsumers(consumers, lookUp) {
  byId('consumers-part').hidden = consumers.length === 0;
  byId('to-consumers').hidden = consumers.length === 0;
  const signature = JSON.stringify(consumers);
  if (byId('consumers').dataset.shown === signature) {
    return;
  }
  byId('consumers').dataset.shown = signature;
  byId('consumers').replaceChildren(...consumers.map((each) => consumer(each, lookUp)));
}

function consumer({ name, failures, redeliveries, failing: isFailing, last }, lookUp) {
  const status = element('span', 'badge', isFailing ? 'Failing' : 'No recent failure');
  // Not green: nobody knows whether it receives anything.
  status.dataset.status = isFailing ? 'ABANDONED' : '';
  const counts = `${plural(failures, 'failure')}, ${count(redeliveries)} redelivered`;
  const text = element('span', 'name', element('span', 'mono', name), element('span', 'hint', counts));
  if (last) {
    text.append(element('span', isFailing ? 'reason' : 'hint', `Last failure ${time(new Date(last.at))}: ${last.reason}`));
  }
  return element('li', '', text, status, ...(last?.message ? [button('quiet', 'Show message', () => lookUp(last.message))] : []));
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
  draw(byId('ages'), [{ series: 'age', points: samples.map((each) => ({ at: each.at, value: each.ageSeconds })) }], seconds, roundTime);
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
