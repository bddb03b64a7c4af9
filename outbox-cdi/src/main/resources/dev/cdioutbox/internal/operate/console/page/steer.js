import * as api from './api.js';
import { byId, setText, statusText } from './dom.js';
import { describe } from './filter.js';
import { count, plural } from './format.js';
import { ALL } from './state.js';

const dialog = byId('confirm');
const bar = byId('confirm-bar');

const ACTIONS = {
  retry: {
    title: (what) => `Retry ${what}?`,
    yes: 'Retry',
    none: 'Nothing that matches has failed or is abandoned.',
    text: 'Sent again at once, with all attempts ahead. The id stays the same, and so does the place in the key’s order; messages behind an abandoned one may be out already.',
  },
  discard: {
    title: (what) => `Discard ${what}?`,
    yes: 'Discard',
    none: 'Nothing that matches is still to be sent.',
    text: 'Never sent; the messages behind go on. Consumers will not hear of it. “Replay” brings back what was discarded, for as long as it is kept.',
  },
  replay: {
    title: (what) => `Replay ${what}?`,
    yes: 'Replay, same id',
    none: 'Nothing that matches is published, expired or discarded.',
    text: 'Sent again with the same id. This repairs what a broker has lost: a consumer that knows the id skips it, one that does not know it acts on it. To make consumers act again, use “Send as new”.',
  },
  'replay-as-new': {
    title: (what) => `Send ${what} as new?`,
    yes: 'Send as new',
    none: 'Nothing that matches is published, expired or discarded.',
    text: 'Sent as a copy with a new id, and every consumer acts once more: what was shipped is shipped again. Each press makes copies. To repair a broker’s loss, use “Replay”.',
  },
};

let isWorking = false;
let isStopped = false;
let afterwards = () => {};

export function prepare(whenDone) {
  afterwards = whenDone;
  byId('confirm-no').addEventListener('click', leave);
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    leave();
  });
}

/** Closes the dialog; in the middle of the work it first ends after the portion in hand. */
function leave() {
  if (isWorking) {
    isStopped = true;
    return;
  }
  dialog.close();
}

/** Asks, and then changes all messages that a filter lets through. */
export async function all(action, filter) {
  const { count: found, capped, below } = await api.preview(action, filter);
  const what = capped ? `${count(found)} or more messages` : plural(found, 'message');
  ask(action, found, what, `Which: ${describe(filter)}.`, () => work(action, { ...filter, below }, capped ? undefined : found));
}

/** Asks, and then changes one message. */
export function one(action, message) {
  const which = `${message.type}${message.key === null ? '' : `, key ${message.key}`}, ${statusText(message.status).toLowerCase()}, id ${message.id}`;
  const only = { after: message.sequence - 1, below: message.sequence + 1 };
  ask(action, 1, '1 message', `Which: ${which}.`, () => work(action, only, 1));
}

/** Asks, and then pauses or resumes a destination. */
export function pause(destination, pausing) {
  const what = destination === ALL ? 'all destinations' : `destination “${destination}”`;
  show(
    pausing ? `Pause ${what}?` : `Resume ${what}?`,
    pausing
      ? 'No node sends anything there from the next batch on, until somebody resumes it. Events go on to be stored, and wait in their order.'
      : 'What waits is sent from now on, by all nodes, in its order.',
    '',
    pausing ? 'Pause' : 'Resume',
    async () => {
      const { changed } = await api.change(pausing ? 'pause' : 'resume', { destination });
      const done = pausing ? 'Paused.' : 'Resumed.';
      finish(changed ? done : `Somebody else was faster: it was ${pausing ? 'paused' : 'resumed'} already.`);
    },
  );
}

function ask(action, found, what, which, run) {
  const { title, yes, none, text } = ACTIONS[action];
  show(title(what), found > 0 ? text : none, which, yes, run);
  byId('confirm-yes').hidden = found === 0;
  byId('confirm-yes').classList.toggle('danger', action === 'discard');
}

function show(title, text, which, yes, run) {
  setText(byId('confirm-title'), title);
  setText(byId('confirm-text'), text);
  setText(byId('confirm-which'), [which, api.chosen() && `Outbox ${api.chosen()}.`].filter(Boolean).join(' '));
  setText(byId('confirm-result'), '');
  setText(byId('confirm-yes'), yes);
  setText(byId('confirm-no'), 'Cancel');
  byId('confirm-progress').hidden = true;
  byId('confirm-yes').hidden = false;
  byId('confirm-yes').disabled = false;
  byId('confirm-yes').classList.remove('danger');
  byId('confirm-yes').onclick = () => start(run);
  dialog.showModal();
  byId('confirm-no').focus();
}

async function start(run) {
  isWorking = true;
  isStopped = false;
  byId('confirm-yes').disabled = true;
  try {
    await run();
  } catch (failure) {
    finish(failure.message);
  }
  isWorking = false;
  await afterwards();
}

/** Portion by portion; each is a transaction, so what is done stays done if the next one fails. */
async function work(action, asked, expected) {
  let changed = 0;
  let after = asked.after ?? null;
  byId('confirm-progress').hidden = expected === 1;
  setText(byId('confirm-no'), 'Stop');
  bar.removeAttribute('value');
  do {
    const portion = await api.change(action, { ...asked, after });
    changed += portion.changed;
    after = portion.after;
    showProgress(changed, expected);
  } while (after !== null && !isStopped);
  finish(outcome(changed, expected, after !== null));
}

function showProgress(changed, expected) {
  if (expected) {
    bar.max = expected;
    bar.value = changed;
  }
  setText(byId('confirm-done'), expected ? `${count(changed)} of ${count(expected)}` : `${count(changed)} so far`);
}

function outcome(changed, expected, stopped) {
  const said = [`${plural(changed, 'message')} changed.`];
  if (stopped) {
    said.push('Stopped; the rest is as it was.');
  } else if (expected > changed) {
    said.push(`${count(expected - changed)} passed over: being settled at this moment, in doubt, erased, or changed by somebody else.`);
  }
  return said.join(' ');
}

function finish(text) {
  setText(byId('confirm-result'), text);
  setText(byId('confirm-no'), 'Close');
  byId('confirm-yes').hidden = true;
  byId('confirm-no').focus();
}
