import * as api from './api.js';
import { badge, button, byId, element, moment, setText } from './dom.js';
import { count, plural, time } from './format.js';

const FORBIDDEN = 403;
const QUICK_MILLIS = 1500;
const RESTS = 10;

let filter = {};
let below;
let shown = '';
let took = 0;
let ended = -Infinity;

/** Shows the first page of what a filter lets through. */
export function search(wanted, open) {
  filter = wanted;
  below = undefined;
  return load(open);
}

export function older(lowest, open) {
  below = lowest;
  return load(open);
}

/** Looks again; the rarer the longer it takes, for a search through millions is work for the database. */
export const refresh = (open) =>
  performance.now() - ended >= (took < QUICK_MILLIS ? 0 : RESTS * took) ? load(open) : undefined;

/** The same page, as it is now. */
export async function load(open) {
  const asked = key();
  const start = performance.now();
  const page = await api.messages(filter, below).catch(refused);
  const { messages, next } = page;
  ended = performance.now();
  took = ended - start;
  if (asked !== key()) {
    // The user has asked for something else meanwhile.
    return;
  }
  const content = JSON.stringify([asked, page]);
  if (content === shown) {
    return;
  }
  shown = content;
  const focused = document.activeElement?.dataset?.id;
  byId('rows').replaceChildren(...messages.map((message) => row(message, open)));
  byId('list').hidden = messages.length === 0;
  if (focused) {
    byId('rows').querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
  setText(byId('found'), page.refusal ?? found(messages, next));
  byId('newest').disabled = below === undefined;
  byId('older').disabled = next === null;
  byId('older').onclick = () => older(next, open);
  byId('newest').onclick = () => search(filter, open);
}

/** A link may ask for what the user may not search for; the rest of the page goes on. */
function refused(failure) {
  if (failure.status !== FORBIDDEN) {
    throw failure;
  }
  return { messages: [], next: null, refusal: failure.message };
}

const key = () => JSON.stringify([api.chosen(), filter, below]);

function found(messages, next) {
  if (messages.length === 0 && next !== null) {
    return `None down to sequence ${count(next)}, which took a second. Older ones were not looked at yet; a time in the filter is quicker.`;
  }
  if (messages.length === 0) {
    return below === undefined ? 'No message matches.' : 'There are no older ones.';
  }
  const which = below === undefined ? 'newest first' : `before sequence ${count(below)}`;
  return `${next !== null ? `${plural(messages.length, 'message')}, more may follow` : plural(messages.length, 'message')}, ${which}`;
}

function row(message, open) {
  const title = button('title', message.type, () => open(message.id));
  title.dataset.id = message.id;
  const what = element('td', 'what', title);
  if (message.key !== null) {
    what.append(element('span', 'mono key', message.key));
  }
  const reason = message.problem ? `It cannot be read: ${message.problem}` : message.lastError;
  if (reason) {
    what.append(element('span', 'reason', reason));
  }
  const made = element(
    'tr',
    '',
    element('td', '', badge(message.status)),
    what,
    element('td', 'wide mono', message.destination),
    element('td', 'when', message.createdAt ? moment('', message.createdAt, time) : ''),
    element('td', 'wide number-cell', message.attempts === undefined ? '' : count(message.attempts)),
    element('td', 'wide number-cell mono', String(message.sequence)),
  );
  made.addEventListener('click', (event) => {
    if (!event.target.closest('button') && getSelection().isCollapsed) {
      open(message.id);
    }
  });
  return made;
}
