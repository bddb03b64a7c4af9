import * as api from './api.js';
import { byId, setText, statusText } from './dom.js';
import { describe, describeLetters } from './filter.js';
import { count, plural } from './format.js';
import { ALL } from './state.js';

const dialog = byId('confirm');
const bar = byId('confirm-bar');
const fields = byId('confirm-backfill');

const ACTIONS = {
  retry: {
    title: (what) => `Retry ${what}?`,
    yes: 'Retry',
    concerns: 'retrying or abandoned',
    none: 'Nothing that matches has failed or is abandoned.',
    text: 'Sent again now, with a fresh set of attempts. The id stays the same, and so does the place in the key’s order; messages behind an abandoned one may be out already, and a consumer that asks for order then skips it.',
  },
  discard: {
    title: (what) => `Discard ${what}?`,
    yes: 'Discard',
    concerns: 'waiting, retrying or abandoned',
    none: 'Nothing that matches is still to be sent.',
    text: 'Never sent; the messages behind go on. Consumers will not hear of it. “Replay” brings back what was discarded, for as long as it is kept.',
  },
  replay: {
    title: (what) => `Replay ${what}?`,
    yes: 'Replay, same id',
    concerns: 'published, expired or discarded',
    none: 'Nothing that matches is published, expired or discarded.',
    text: 'Sent again with the same id. This repairs what a broker has lost: a consumer that knows the id skips it, one that does not know it acts on it. A consumer that asks for order (ordered = true) skips it too once it has handled a later one of its key. To make consumers act again, use “Replay as new”.',
  },
  'replay-as-new': {
    title: (what) => `Send ${what} as new?`,
    yes: 'Replay as new',
    concerns: 'published, expired or discarded',
    none: 'Nothing that matches is published, expired or discarded.',
    text: 'Sent as a copy with a new id, and every consumer acts once more: what was shipped is shipped again. Each press makes copies. To repair a broker’s loss, use “Replay”.',
  },
  erase: {
    title: (what) => `Erase ${what}?`,
    yes: 'Erase',
    concerns: 'in any state',
    none: 'No message matches. If old ones are archived, those that match are deleted.',
    text: 'What it contains is taken out of the tables for good: payload, headers, key, aggregate id, tenant, correlation and cause. What waits is discarded first. What is archived is deleted. The broker, consumers, logs and backups are not reached.',
  },
  'send-back': {
    path: 'dead-letters/send-back',
    title: (what) => `Send ${what} back?`,
    yes: 'Send back',
    none: 'No dead letter matches.',
    text: 'Each goes back to the queue from which it came, with the same id, and its consumer gets it again. What fails again comes back here. Those of unknown origin stay.',
  },
  'discard-dead-letters': {
    path: 'dead-letters/discard',
    title: (what) => `Discard ${what}?`,
    yes: 'Discard',
    none: 'No dead letter matches.',
    text: 'Deleted from the dead letter queue; its consumer will not handle it. For as long as the outbox has the message, “Replay” sends it once more.',
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
  // A browser lets a second Escape close it whatever was said to the first.
  dialog.addEventListener('close', () => isWorking && dialog.showModal());
}

/** What was asked about is no longer shown. Work that is under way goes on, in the outbox where it began. */
export const close = () => isWorking || dialog.close();

/** Closes the dialog; in the middle of the work it first ends after the batch in hand. */
function leave() {
  if (isWorking) {
    isStopped = true;
    return;
  }
  dialog.close();
}

/** Asks, and then changes all messages that a filter lets through. */
export async function all(action, filter) {
  const { count: found, capped, below, outbox } = await api.preview(action, filter);
  const what = capped ? `${count(found)} or more messages` : plural(found, 'message');
  const which = `Which: ${describe(filter)}. Of these, what is ${ACTIONS[action].concerns}.`;
  ask(action, found, what, which, outbox, () => work(action, `changes/${action}`, { ...filter, outbox, below }, capped ? undefined : found));
}

/** Asks, and then changes one message. Behind it, others of its key may wait. */
export function one(action, message, outbox, behind = 0) {
  const which = `${message.type}${message.key === null ? '' : `, key ${message.key}`}, ${statusText(message.status).toLowerCase()}, id ${message.id}`;
  const followers = behind > 0 ? ` ${plural(behind, 'message')} of its key ${behind === 1 ? 'waits' : 'wait'} behind it, and ${behind === 1 ? 'follows' : 'follow'}.` : '';
  ask(action, 1, '1 message', `Which: ${which}.${followers}`, outbox, () => work(action, `${api.pathOf(message.id)}/${action}`, { outbox }, 1));
}

/** Asks, and then changes all dead letters of a queue that a filter lets through. */
export async function letters(action, filter) {
  const { count: found, capped, below, outbox } = await api.previewLetters(filter);
  const what = capped ? `the first ${count(found)} messages` : plural(found, 'message');
  const which = `Which: dead letters in ${describeLetters(filter)}.`;
  ask(action, found, what, which, outbox, () => work(action, ACTIONS[action].path, { ...filter, outbox, below }, found));
}

/** Asks, and then changes one dead letter. */
export function letter(action, { id, messageId, queue, type }, outbox) {
  const which = `Which: ${type ?? 'message'} in ${queue}, id ${messageId ?? id}.`;
  ask(action, 1, '1 message', which, outbox, () => work(action, ACTIONS[action].path, { outbox, queue, message: id ?? messageId, below: 1 }, 1));
}

/** Asks, and then pauses or resumes a destination of an outbox. */
export function pause(destination, pausing, outbox) {
  const what = destination === ALL ? 'all destinations' : `destination “${destination}”`;
  show(
    pausing ? `Pause ${what}?` : `Resume ${what}?`,
    pausing
      ? 'No node sends anything there from the next batch on, until it is resumed. Events go on to be stored, and wait in their order.'
      : 'All nodes resume sending, in order.',
    '',
    outbox,
    pausing ? 'Pause' : 'Resume',
    async () => {
      const { changed } = await api.change(pausing ? 'pause' : 'resume', { outbox, destination });
      const done = pausing ? 'Paused.' : 'Resumed.';
      finish(changed ? done : `Another user was faster: it was ${pausing ? 'paused' : 'resumed'} already.`);
    },
  );
  return tellWaiting(destination, pausing, outbox);
}

/** Asks what to copy, and then gives it to a destination. */
export function backfill(destination, sources, outbox) {
  show(
    `Backfill “${destination}”?`,
    'It gets the kept messages of another destination, in their order, and nothing else until all of them are sent. What it has already is not copied.',
    '',
    outbox,
    'Backfill',
    async () => {
      const { source, types, from } = Object.fromEntries(new FormData(fields));
      const named = types.split('\n').map((type) => type.trim()).filter(Boolean);
      await api.change('backfill', { outbox, destination, source, type: named, from: new Date(from).toISOString() });
      finish('Started. A node begins to copy within 10 s.');
    },
  );
  fields.elements.source.replaceChildren(...sources.map((name) => new Option(name, name)));
  fields.hidden = false;
  const start = byId('confirm-yes').onclick;
  byId('confirm-yes').onclick = () => fields.reportValidity() && start();
}

/** Asks, and then lets a backfill end where it is. */
export function cancelBackfill(destination, outbox) {
  show(
    `Cancel the backfill of “${destination}”?`,
    'Nothing more is copied. The copies that wait are still sent, and then what is newer.',
    '',
    outbox,
    'Cancel backfill',
    async () => {
      const { changed } = await api.change('cancel-backfill', { outbox, destination });
      finish(changed ? 'Cancelled.' : 'All was copied already.');
    },
  );
}

/** Who wants to pause is not kept waiting for a number. */
async function tellWaiting(destination, pausing, outbox) {
  const asked = byId('confirm-title').textContent;
  const only = { outbox, status: ['PENDING', 'FAILED'], destination: destination === ALL ? '' : destination };
  const { count: found, capped } = await api.preview('discard', only).catch(() => ({}));
  if (found !== undefined && dialog.open && !isWorking && byId('confirm-title').textContent === asked) {
    const what = capped ? `${count(found)} or more messages wait` : found === 1 ? '1 message waits' : `${count(found)} messages wait`;
    setText(byId('confirm-which'), where(`${what} there ${pausing ? 'now' : 'to be sent'}.`, outbox));
  }
}

/** Where there are several, it is said which; before the others are known, a name that is not the default one's. */
const isOneOfSeveral = (outbox) => byId('outbox').length > 1 || outbox !== 'default';
const where = (text, outbox) => [text, isOneOfSeveral(outbox) && `Outbox ${outbox}.`].filter(Boolean).join(' ');

function ask(action, found, what, which, outbox, run) {
  const { title, yes, none, text } = ACTIONS[action];
  show(title(what), found > 0 ? text : none, which, outbox, yes, run);
  byId('confirm-yes').hidden = found === 0 && action !== 'erase';
  byId('confirm-yes').classList.toggle('danger', action === 'erase' || action.startsWith('discard'));
}

function show(title, text, which, outbox, yes, run) {
  setText(byId('confirm-title'), title);
  setText(byId('confirm-text'), text);
  setText(byId('confirm-which'), where(which, outbox));
  setText(byId('confirm-result'), '');
  setText(byId('confirm-yes'), yes);
  setText(byId('confirm-no'), 'Cancel');
  byId('confirm-progress').hidden = true;
  fields.hidden = true;
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

/** Batch by batch; each is a transaction, so what is done stays done if the next one fails. */
function work(action, path, asked, expected) {
  byId('confirm-progress').hidden = expected === 1;
  bar.removeAttribute('value');
  return goOn({ action, path, asked, expected, changed: 0, published: 0, archived: 0, after: null, operation: asked.queue ? undefined : name() });
}

/** A batch whose answer was lost is asked for again. By the name of the operation, the server finds the copies that it has made. */
async function goOn(run) {
  const { path, asked, expected } = run;
  setText(byId('confirm-no'), 'Stop');
  try {
    do {
      const { changed, after, left, published, archived } = await api.change(path, { ...asked, below: below(run), after: run.after, operation: run.operation });
      Object.assign(run, { changed: run.changed + changed, after, left: left ?? run.left, published: run.published + (published ?? 0), archived: run.archived + (archived ?? 0) });
      showProgress(run.changed, expected);
    } while (run.after !== null && !isStopped);
    finish(outcome(run));
  } catch (failure) {
    run.failed = true;
    finish(`${plural(run.changed, 'message')} changed, then: ${failure.message} ${rest(run)}`);
    offer(run);
    return;
  }
  if (run.after !== null) {
    offer(run);
  }
}

/** The end of what was confirmed: a sequence; or a place in a queue, from which those before it are gone. */
const below = ({ asked, changed }) => (asked.queue ? asked.below - changed : asked.below);

function offer(run) {
  setText(byId('confirm-yes'), 'Go on');
  byId('confirm-yes').hidden = false;
  byId('confirm-yes').disabled = false;
  byId('confirm-yes').onclick = () => start(() => goOn(run));
}

/** A name for an operation: when it began, and chance. */
function name() {
  const random = [...crypto.getRandomValues(new Uint8Array(10))];
  return [Date.now().toString(16).padStart(12, '0'), ...random.map((one) => one.toString(16).padStart(2, '0'))].join('');
}

function showProgress(changed, expected) {
  if (expected) {
    bar.max = expected;
    bar.value = changed;
  }
  setText(byId('confirm-done'), expected ? `${count(changed)} of ${count(expected)}` : `${count(changed)} so far`);
}

function outcome({ action, changed, expected, after, failed, left, published, archived }) {
  const said = [`${plural(changed, 'message')} changed.`];
  if (archived > 0) {
    said.push(`${plural(archived, 'message')} deleted from the archive.`);
  }
  if (published > 0) {
    said.push(`The broker and its consumers have had ${count(published)} of them, and may have them still.`);
  }
  if (after !== null) {
    said.push('Stopped; the rest is as it was.', rest({ action }));
  } else if (failed) {
    said.push('A batch without an answer may have changed more: see “What was done”.');
  } else if (left) {
    said.push(left);
  } else if (expected > changed) {
    said.push(`${count(expected - changed)} skipped: being settled at this moment, in doubt, erased, or changed by another user.`);
  }
  return said.join(' ');
}

/** Only copies would be made twice by who begins anew. */
function rest({ action }) {
  const copies = ' It makes no second copy. Once this is closed, “Replay as new” begins with the first again.';
  return `“Go on” does the rest.${action === 'replay-as-new' ? copies : ''}`;
}

function finish(text) {
  setText(byId('confirm-result'), text);
  setText(byId('confirm-no'), 'Close');
  byId('confirm-yes').hidden = true;
  byId('confirm-no').focus();
}
