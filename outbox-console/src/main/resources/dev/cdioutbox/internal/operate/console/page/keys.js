import * as api from './api.js';
import { badge, button, byId, element, setText } from './dom.js';
import { plural, time } from './format.js';
import * as role from './role.js';

const EVERY_MILLIS = 10_000;
let asked = -Infinity;

/** Looks again now and then, while a message may block its key: to count what waits is work for the database. */
export async function refresh({ failed, abandoned }, operations, open) {
  if (failed + abandoned === 0) {
    show({ keys: [] }, operations, open);
  } else if (performance.now() - asked >= EVERY_MILLIS) {
    const outbox = api.chosen();
    const found = await api.blockedKeys();
    if (outbox === api.chosen()) {
      asked = performance.now();
      show(found, operations, open);
    }
  }
}

/** After a change of the user, or of the outbox. */
export const forget = () => (asked = -Infinity);

function show({ outbox, keys, capped }, operations, open) {
  byId('keys-part').hidden = keys.length === 0;
  byId('to-keys').hidden = keys.length === 0;
  const signature = JSON.stringify([outbox, keys, role.may(role.SUPPORT)]);
  if (byId('keys').dataset.shown !== signature) {
    byId('keys').dataset.shown = signature;
    byId('keys').replaceChildren(...keys.map((key) => row(key, outbox, operations, open)));
  }
  setText(byId('keys-found'), capped ? 'Counting stopped: a key may hold up more messages, and others may be blocked as well.' : '');
}

function row(blocked, outbox, operations, open) {
  const { key, destination, since, message, type, status, attempts, nextTry, lastError, waiting } = blocked;
  const next = status === 'ABANDONED' ? 'waits for an operator' : nextTry ? `next try ${time(new Date(nextTry))}` : 'is due';
  const facts = [`to ${destination}`, `blocked since ${time(new Date(since))}`, plural(attempts, 'attempt'), next].join(' · ');
  const change = (action, className, text) => {
    const made = role.guard(
      button(className, text, () => operations.one(action, { id: message, type, key, status }, outbox, waiting)),
      role.OPERATOR,
    );
    made.setAttribute('aria-label', `${text.replace('…', '')} ${type} ${message}`);
    return made;
  };
  return element(
    'li',
    '',
    element(
      'span',
      'name',
      element('span', 'mono', key ?? role.lack(role.SUPPORT)),
      element('span', 'hint', `${plural(waiting, 'message')} behind it · ${facts}`),
      lastError ? element('span', 'reason', lastError) : '',
    ),
    badge(status),
    button('quiet', 'Show message', () => open(message)),
    ...(status === 'PENDING' ? [] : [change('retry', 'quiet', 'Retry…')]),
    change('discard', 'quiet danger', 'Discard…'),
  );
}
