import { byId, element, moment, statusText } from './dom.js';
import { LETTER_NAMES } from './filter.js';
import { count, plural, time } from './format.js';

const DONE = {
  retry: 'retried',
  discard: 'discarded',
  replay: 'replayed',
  'replay-as-new': 'replayed as new',
  erase: 'erased',
  'send-back': 'sent back',
  'discard-dead-letters': 'discarded',
  pause: 'paused',
  resume: 'resumed',
  backfill: 'backfilled',
  'cancel-backfill': 'cancelled the backfill of',
};
const SUBJECTS = { id: 'message', ...LETTER_NAMES, shadowed: 'shadowed' };

/** Shows what operators did, the last first. */
export function show(entries) {
  const signature = JSON.stringify(entries);
  if (byId('audit').dataset.shown === signature) {
    return;
  }
  byId('audit').dataset.shown = signature;
  byId('audit').replaceChildren(
    ...(entries.length > 0 ? entries.map(row) : [element('li', 'hint', 'No operator has changed anything yet.')]),
  );
}

function row(entry) {
  const filter = parse(entry.subject);
  return element(
    'li',
    '',
    moment('when', entry.at, time),
    element('span', '', element('b', '', entry.who), `${entry.role === null ? '' : ` as ${entry.role}`} ${DONE[entry.action] ?? entry.action}`),
    element('span', 'subject', subject(entry.subject, filter)),
    element('span', 'changed', entry.changed === 0 ? 'nothing changed' : plural(entry.changed, 'change')),
  );
}

/** The filter of an operation on messages; null for one on a destination. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A filter in words; a destination as it is. */
function subject(text, filter) {
  if (filter === null) {
    return text === '*' ? 'all destinations' : text;
  }
  const said = Object.keys(SUBJECTS).filter((name) => filter[name]).map((name) => `${SUBJECTS[name]} ${filter[name]}`);
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
