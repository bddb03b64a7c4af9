import * as api from './api.js';
import { element, setText } from './dom.js';
import { plural, prettyJson } from './format.js';

const byId = (id) => document.getElementById(id);

/** Shows what the bean could not handle, each time that the list is opened: also by the link in the introduction. */
export function prepare() {
  byId('put-aside').addEventListener('toggle', () => byId('put-aside').open && show());
  const open = () => (byId('put-aside').open = true);
  document.querySelector('a[href="#put-aside"]').addEventListener('click', open);
  if (location.hash === '#put-aside') {
    open();
  }
}

async function show() {
  try {
    const messages = await api.putAside();
    byId('put-aside-list').replaceChildren(...messages.map(item));
    setText(
      byId('put-aside-note'),
      messages.length === 0
        ? 'Nothing is put aside.'
        : `${plural(messages.length, 'message')} that the bean failed to handle several times, the oldest first. At most 50 are shown.`,
    );
  } catch (failure) {
    setText(byId('put-aside-note'), failure.message);
  }
}

function item({ messageId, orderId, eventType, schemaVersion, payload }) {
  const type = eventType ? `${eventType}, version ${schemaVersion}` : 'A message of another sender';
  const id = [orderId && `order ${orderId}`, `message ${messageId}`].filter(Boolean).join(' · ');
  return element(
    'li',
    'card put-aside',
    element('p', 'title', type),
    element('p', 'facts mono', id),
    element('pre', 'payload', prettyJson(payload ?? '')),
  );
}
