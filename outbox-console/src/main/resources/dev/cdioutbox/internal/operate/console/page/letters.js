import * as api from './api.js';
import { button, byId, element, moment, setText } from './dom.js';
import { count, plural, time } from './format.js';

const EVERY_MILLIS = 30_000;
const form = byId('letters-filter');
let after = 0;
let asked = -Infinity;
let isAsking = false;

export function prepare(operations, open) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    show(0, open);
  });
  form.addEventListener('reset', () => setTimeout(() => show(0, open)));
  form.querySelectorAll('[data-action]').forEach((each) => each.addEventListener('click', () => operations(each.dataset.action, filter())));
  byId('letters-first').addEventListener('click', () => show(0, open));
}

/** What is asked for, as the API takes it. */
const filter = () => Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, name === 'key' ? value : value.trim()]));

/** Offers the queues, and looks again now and then: to browse is work for the broker. */
export function refresh(queues, open) {
  byId('letters-part').hidden = queues.length === 0;
  byId('to-letters').hidden = queues.length === 0;
  const select = form.elements.queue;
  if ([...select.options].map(({ value }) => value).join() !== queues.join()) {
    select.replaceChildren(...queues.map((name) => new Option(name, name)));
    asked = -Infinity;
  }
  if (queues.length > 0 && performance.now() - asked >= EVERY_MILLIS) {
    load(open);
  }
}

/** After a change of the user. */
export const forget = () => (asked = -Infinity);

function show(position, open) {
  after = position;
  return load(open);
}

/** A broker that does not answer must not keep the rest of the page from being shown. */
async function load(open) {
  if (isAsking) {
    return;
  }
  isAsking = true;
  try {
    const { letters, failures, after: next } = await api.deadLetters({ ...filter(), after });
    byId('letters').replaceChildren(...letters.map((letter) => row(letter, failures.find(({ message }) => message === letter.messageId), open)));
    byId('letters-list').hidden = letters.length === 0;
    setText(byId('letters-found'), found(letters.length, next));
    byId('letters-first').disabled = after === 0;
    byId('letters-next').disabled = next === null;
    byId('letters-next').onclick = () => show(next, open);
  } catch (failure) {
    setText(byId('letters-found'), failure.message);
  }
  asked = performance.now();
  isAsking = false;
}

function found(number, next) {
  if (number === 0) {
    return after === 0 ? 'No dead letter matches.' : 'There are no later ones.';
  }
  return `${plural(number, 'dead letter')}${after > 0 ? ` after the first ${count(after)}` : ''}${next === null ? '' : ', more follow'}, in the order of the queue`;
}

/** @param failure the last one of a consumer, which says more than the broker; undefined if this node has none */
function row(letter, failure, open) {
  const id = letter.messageId ?? letter.id;
  const title = letter.type ?? 'Message';
  // Without any id, nobody can ask for this letter alone.
  const what = element('td', 'what', id === null ? element('span', '', title) : button('title', title, () => open(id)));
  if (letter.key !== null) {
    what.append(element('span', 'mono key', letter.key));
  }
  const reason = failure ? `Consumer ${failure.consumer}: ${failure.reason}` : letter.reason;
  if (reason !== null) {
    what.append(element('span', 'reason', reason));
  }
  return element(
    'tr',
    '',
    element('td', 'when', moment('', letter.failedAt ?? letter.sentAt, time)),
    what,
    element('td', 'wide mono', letter.origin ?? 'unknown'),
  );
}
