import * as api from './api.js';
import { element, setText } from './dom.js';
import { plural, prettyJson } from './format.js';

const LOOKS = 15;

const byId = (id) => document.getElementById(id);

/** Shows what the bean could not handle, each time that the list is opened: also by the link in the introduction. */
export function prepare() {
  byId('put-aside').addEventListener('toggle', () => byId('put-aside').open && show());
  byId('send-unknown').addEventListener('click', send);
  const open = () => (byId('put-aside').open = true);
  document.querySelector('a[href="#put-aside"]').addEventListener('click', open);
  if (location.hash === '#put-aside') {
    open();
  }
}

async function send() {
  try {
    const before = (await api.putAside()).length;
    await api.sendUnknown();
    setText(byId('put-aside-note'), 'Sent. The bean fails to handle it several times before it is put aside.');
    for (let looks = 0; looks < LOOKS && (await api.putAside()).length <= before; looks++) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    await show();
  } catch (failure) {
    setText(byId('put-aside-note'), failure.message);
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
