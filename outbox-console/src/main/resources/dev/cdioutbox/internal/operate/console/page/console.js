import * as audit from './audit.js';
import * as api from './api.js';
import { button, byId, element, setText } from './dom.js';
import * as filter from './filter.js';
import { time } from './format.js';
import * as keys from './keys.js';
import * as letters from './letters.js';
import * as message from './message.js';
import * as messages from './messages.js';
import * as role from './role.js';
import * as state from './state.js';
import * as operations from './operations.js';

const POLL_MILLIS = 3000;
const NOT_FOUND = 404;

let timer;
let seenAt;

/** Looks anew, and again in a while as long as the page is visible. */
async function poll() {
  clearTimeout(timer);
  const isSeen = await attempt(async () => {
    const asked = api.chosen();
    const seen = await api.state();
    if (asked !== api.chosen()) {
      // Another outbox was chosen meanwhile.
      return;
    }
    seenAt = new Date();
    filter.offer(Object.keys(seen.destinations));
    offerOutboxes(seen);
    showUser(seen);
    state.show(seen, operations, open, lookUp);
    letters.refresh(seen.deadLetterQueues.map(({ name }) => name), lookUp);
    await keys.refresh(seen, operations, open);
    await messages.refresh(open);
    audit.show(await api.audit());
    await message.refresh(operations);
  });
  if (api.isSignedOut()) {
    return;
  }
  if (!isSeen) {
    state.outdated(seenAt);
  }
  if (!document.hidden) {
    timer = setTimeout(poll, POLL_MILLIS);
  }
}

/** Who is signed in and, for who may not do everything, what that is. */
function showUser({ user, role: mine }) {
  setText(byId('user'), user);
  role.take(mine);
  const lacking = [
    role.may(role.SUPPORT) || `Payloads, keys, headers and the texts of errors need the role ${role.SUPPORT}.`,
    role.may(role.OPERATOR) || `Changes need the role ${role.OPERATOR}.`,
  ].filter((sentence) => sentence !== true);
  setText(byId('role'), lacking.length > 0 ? `You have the role ${mine}. ${lacking.join(' ')}` : '');
  byId('role').hidden = lacking.length === 0;
}

/** After a change of the user, the list shows it at once, however long a search takes. */
async function changed() {
  keys.forget();
  letters.forget();
  message.forget();
  await attempt(() => messages.load(open));
  await poll();
}

/** Ends the session and clears the page, so that its data does not stay on the screen. */
async function signOut() {
  if (!(await attempt(api.signOut))) {
    poll();
    return;
  }
  message.close();
  operations.close();
  document.querySelector('main').hidden = true;
  byId('sign-out').hidden = true;
  setText(byId('user'), '');
  showLink('offline', 'Signed out');
  byId('banner').replaceChildren('You are signed out. ', button('link-like', 'Sign in again', () => location.reload()));
  byId('banner').hidden = false;
}

async function attempt(work) {
  try {
    await work();
    if (api.isSignedOut()) {
      return true;
    }
    showLink('live', `Live · ${time(new Date())}`);
    byId('banner').hidden = true;
    return true;
  } catch (failure) {
    if (api.isSignedOut()) {
      return false;
    }
    showLink('offline', 'Offline');
    setText(byId('banner'), failure.message);
    byId('banner').hidden = false;
    return false;
  }
}

function showLink(name, text) {
  byId('link').dataset.state = name;
  setText(byId('link'), text);
}

/** Shows what is wrong with the set-up: when the user asks, since the node repeats all its checks. */
async function diagnose() {
  const asked = api.chosen();
  const { findings, checklist } = await api.diagnosis();
  if (asked !== api.chosen()) {
    return;
  }
  const found = findings.map(({ code, text }) => element('li', '', element('b', '', code), element('span', 'name', text)));
  byId('findings').replaceChildren(...(found.length > 0 ? found : [element('li', 'hint', 'Nothing, as far as the node that answers sees.')]));
  byId('findings').hidden = false;
  byId('checklist').replaceChildren(
    ...checklist.map(({ line, state, codes }) => element('li', '', element('b', '', state), element('span', 'name', [line, ...codes].join(' · ')))),
  );
  byId('checklist').hidden = false;
}

const open = (id) => attempt(() => message.open(id, operations));

/** Opens the message with an id, wherever the list is. */
function lookUp(id) {
  byId('lookup').elements.message.value = id;
  setText(byId('lookup-result'), '');
  return attempt(async () => {
    try {
      await message.open(id, operations);
    } catch (failure) {
      if (failure.status !== NOT_FOUND) {
        throw failure;
      }
      setText(byId('lookup-result'), `This outbox has no message with the id ${id}. Settled messages are deleted after a while.`);
    }
  });
}

/** Shows the list and, if the address names one, a message. */
async function showAddress() {
  const id = filter.messageInAddress();
  byId('lookup').elements.message.value = '';
  setText(byId('lookup-result'), '');
  await attempt(() => messages.search(filter.read(), open));
  if (id) {
    await lookUp(id);
  }
}

function search() {
  filter.toAddress(filter.read());
  return attempt(() => messages.search(filter.read(), open));
}

/** Leaves the address as it is, which holds the filter and the outbox. */
function jump(event) {
  event.preventDefault();
  const heading = document.querySelector(event.currentTarget.hash);
  heading.scrollIntoView();
  heading.focus({ preventScroll: true });
}

/** A choice only where there is one. */
function offerOutboxes({ outboxes, outbox }) {
  byId('outboxes').hidden = outboxes.length < 2;
  byId('charts-all').hidden = outboxes.length < 2;
  if (byId('outbox').length !== outboxes.length) {
    byId('outbox').replaceChildren(...outboxes.map((name) => new Option(name, name)));
  }
  byId('outbox').value = outbox;
}

/** What is shown of one outbox may not stay beside the name of another. */
function turn() {
  byId('findings').hidden = true;
  byId('checklist').hidden = true;
  keys.forget();
  state.leave();
  poll();
}

function begin() {
  filter.prepare();
  filter.fromAddress();
  message.prepare();
  operations.prepare(changed);
  letters.prepare((action, asked) => attempt(() => operations.letters(action, asked)), lookUp);
  byId('filter').addEventListener('submit', (event) => {
    event.preventDefault();
    search();
  });
  byId('filter').addEventListener('reset', () => setTimeout(search));
  byId('states').addEventListener('change', search);
  byId('filter').querySelectorAll('[data-action]').forEach((each) =>
    each.addEventListener('click', () => attempt(() => operations.all(each.dataset.action, filter.read()))),
  );
  byId('sign-out').addEventListener('click', signOut);
  byId('diagnose').addEventListener('click', () => attempt(diagnose));
  byId('outbox').addEventListener('change', () => {
    api.choose(byId('outbox').value);
    filter.leave();
    turn();
    search();
  });
  document.querySelectorAll('a[href$="-title"]').forEach((link) => link.addEventListener('click', jump));
  addEventListener('popstate', () => {
    const before = api.chosen();
    filter.fromAddress();
    message.close();
    operations.close();
    if (before !== api.chosen()) {
      turn();
    }
    showAddress();
  });
  byId('lookup').addEventListener('submit', (event) => {
    event.preventDefault();
    const id = byId('lookup').elements.message.value.trim();
    filter.toAddress({ ...filter.read(), id });
    lookUp(id);
  });
  document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : poll()));
  return showAddress();
}

await begin();
poll();
