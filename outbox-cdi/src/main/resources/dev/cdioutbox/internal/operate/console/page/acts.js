import { byId, element, statusText } from './dom.js';
import { count, plural, time } from './format.js';

const DONE = {
  retry: 'retried',
  discard: 'discarded',
  replay: 'replayed',
  'replay-as-new': 'sent as new',
  pause: 'paused',
  resume: 'resumed',
};
const NAMES = { type: 'event type', key: 'key', shadowed: 'shadowed', destination: 'destination', error: 'error with', from: 'stored from', before: 'stored before' };

/** Shows what operators did, the last first. */
export function show(acts) {
  const signature = JSON.stringify(acts);
  if (byId('acts').dataset.shown === signature) {
    return;
  }
  byId('acts').dataset.shown = signature;
  byId('acts').replaceChildren(
    ...(acts.length > 0 ? acts.map(row) : [element('li', 'hint', 'Nobody has changed anything yet.')]),
  );
}

function row(act) {
  const at = element('time', 'when', time(new Date(act.at)));
  at.dateTime = act.at;
  return element(
    'li',
    '',
    at,
    element('span', '', element('b', '', act.who), ` ${DONE[act.action] ?? act.action}`),
    element('span', 'subject', subject(act)),
    element('span', 'changed', act.changed === 0 ? 'nothing changed' : `${plural(act.changed, 'change')}`),
  );
}

/** A filter in words; a destination as it is. */
function subject({ subject: text }) {
  let filter;
  try {
    filter = JSON.parse(text);
  } catch {
    return text === '*' ? 'all destinations' : text;
  }
  const said = Object.keys(NAMES).filter((name) => filter[name]).map((name) => `${NAMES[name]} ${filter[name]}`);
  if (filter.status) {
    said.unshift(`state ${filter.status.split(',').map(statusText).join(' or ')}`);
  }
  return [...said, ...sequences(filter)].join('; ') || 'all messages';
}

function sequences({ afterSequence: after, beforeSequence: before }) {
  if (after !== undefined && before === after + 2) {
    return [`sequence ${count(after + 1)}`];
  }
  const from = after === undefined ? [] : [`from sequence ${count(after + 1)}`];
  return before === undefined ? from : [...from, `to sequence ${count(before - 1)}`];
}
