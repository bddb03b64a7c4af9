import * as api from './api.js';
import { button, byId, element, moment, setText, statusText } from './dom.js';
import { address } from './filter.js';
import { bytes, count, exactTime, plural, prettyJson } from './format.js';
import * as role from './role.js';

const dialog = byId('message');
const NOT_FOUND = 404;
let shown = '';
let asked;
let aside = {};

const POSSIBLE = {
  PENDING: ['discard', 'erase'],
  FAILED: ['retry', 'discard', 'erase'],
  ABANDONED: ['retry', 'discard', 'erase'],
  PUBLISHED: ['replay', 'replay-as-new', 'erase'],
  EXPIRED: ['replay', 'replay-as-new', 'erase'],
  DISCARDED: ['replay', 'replay-as-new', 'erase'],
};
const BUTTON = { retry: 'Retry…', discard: 'Discard…', replay: 'Replay…', 'replay-as-new': 'Replay as new…', erase: 'Erase…' };
const DONE = { retry: 'Retried', discard: 'Discarded', replay: 'Replayed', 'replay-as-new': 'Replayed as new', erase: 'Erased', 'send-back': 'Sent back to its consumer', 'discard-dead-letters': 'Dead letter discarded' };

export function prepare() {
  byId('message-close').addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
}

/** Another filter, or another outbox, is looked at. */
export const close = () => dialog.close();

/** Opens a message with its story. */
export async function open(id, operations) {
  const outbox = api.chosen();
  asked = id;
  await show(id, outbox, operations);
  if (!dialog.open && outbox === api.chosen()) {
    dialog.showModal();
    byId('message-body').scrollTop = 0;
  }
}

/** The message that is open, as it is now. */
export const refresh = (operations) => (dialog.open ? show(dialog.dataset.id, dialog.dataset.outbox, operations) : undefined);

/** After a change, its dead letters may be others. */
export const forget = () => (aside = {});

/** The dead letters of a message, which are shown when they are known: a broker that hangs must not hide the outbox's record. */
function lettersOf(id, outbox, operations) {
  const of = JSON.stringify([id, outbox]);
  if (aside.of !== of) {
    const found = { of, letters: [] };
    found.known = api
      .deadLetters({ outbox, message: id })
      .then(({ letters, unavailable }) => {
        found.letters = letters;
        found.failure = unavailable.length > 0 && `Not read: ${unavailable.join(', ')}; the server's log says why.`;
      })
      .catch((failure) => (found.failure = failure.message))
      .then(() => aside === found && dialog.open && show(id, outbox, operations).catch(() => {}));
    aside = found;
  }
  return aside;
}

/** A message that only the broker has: of another sender, or deleted from the outbox. */
async function recordOf(id, outbox, found) {
  try {
    return await api.message(id, outbox);
  } catch (failure) {
    if (failure.status === NOT_FOUND) {
      await found.known;
    }
    if (found.letters.length === 0) {
      throw failure;
    }
    return { outbox, message: null, audit: [], failures: [] };
  }
}

async function show(id, outbox, operations) {
  const found = lettersOf(id, outbox, operations);
  const details = await recordOf(id, outbox, found);
  const { message } = details;
  const { letters } = found;
  if (asked !== id) {
    // Another one was opened meanwhile.
    return;
  }
  const signature = JSON.stringify([details, letters, found.failure, role.may(role.SUPPORT)]);
  if (signature === shown) {
    // Nothing is replaced that the user reads, has selected or is about to press.
    return;
  }
  shown = signature;
  dialog.dataset.id = id;
  dialog.dataset.outbox = outbox;
  setText(byId('message-title'), (message ?? letters[0]).type ?? 'Message');
  setText(byId('message-status'), letters.length > 0 ? 'Dead letter' : statusText(message.status));
  byId('message-status').dataset.status = letters.length > 0 ? 'ABANDONED' : message.status;
  byId('message-body').replaceChildren(...partsOf(details, found).filter(Boolean));
  byId('message-actions').replaceChildren(
    ...letters.flatMap((letter) => [
      change('quiet', 'Send back…', () => operations.letter('send-back', letter, details.outbox)),
      change('quiet danger', 'Discard dead letter…', () => operations.letter('discard-dead-letters', letter, details.outbox)),
    ]),
    ...(POSSIBLE[message?.status] ?? []).map((action) =>
      change(['discard', 'erase'].includes(action) ? 'quiet danger' : 'quiet', BUTTON[action], () => operations.one(action, message, details.outbox)),
    ),
  );
}

const change = (...made) => role.guard(button(...made), role.OPERATOR);

/** Stands for what the user may not see; false for who may. */
const hidden = () => !role.may(role.SUPPORT) && element('p', 'hint', role.lack(role.SUPPORT));

function partsOf(details, { letters, failure }) {
  const { message, failures } = details;
  const dead = [
    failure && part('Dead letters', element('p', 'hint', `There may be others. ${failure}`)),
    ...letters.map((letter) => deadLetter(letter, message, failures.at(-1))),
  ];
  if (message === null) {
    return [...dead, story({ ...details, message: {} }, letters)];
  }
  return message.problem
    ? [...dead, problem(message), story(details, letters), facts(message)]
    : [...dead, why(details), lastError(details), payload(details), story(details, letters), facts(message)];
}

/**
 * With the payload and all properties if the outbox has no record.
 *
 * @param failure the last one of a consumer, which says more than the broker
 */
function deadLetter(letter, record, failure) {
  const origin = letter.origin ? `It came from ${letter.origin}.` : 'From which queue it came is not known, so it cannot be sent back.';
  const reasons = [failure && `Consumer ${failure.consumer}: ${failure.reason}`, letter.reason].filter(Boolean);
  return part(
    `Dead letter in ${letter.queue}`,
    element('p', 'why', `Its consumer could not handle it. ${origin}`),
    ...reasons.map((reason) => element('pre', 'reason', reason)),
    ...(failure || !record ? [] : [element('p', 'hint', 'Why it failed, only the node knows on which it did, and its log: this one has no failure of it in memory.')]),
    ...(record ? [] : [element('p', 'hint', 'The outbox has no record of it.'), hidden() || element('pre', '', prettyJson(letter.text ?? 'Its payload is not text.'))]),
    ...(record ? [] : [list([['Id', letter.id ?? 'none, so it can only be taken off its queue by the broker’s tools'], ...Object.entries(letter.properties)])]),
  );
}

function why({ message, why: reason }) {
  return reason && part(message.status === 'ABANDONED' ? 'What waits for it' : 'Why it waits', element('p', 'why', reason));
}

function problem(message) {
  return part(
    'It cannot be read',
    element(
      'p',
      'why',
      'The row was changed by hand, or a newer version wrote it. The outbox cannot send it: correct the row and retry it, or discard it.',
    ),
    element('pre', 'reason', message.problem),
  );
}

function lastError({ message, trace }) {
  return message.lastError && part('Last error', element('pre', 'reason', message.lastError), ...trace ? [stackTrace(trace)] : []);
}

function stackTrace({ text, messages }) {
  const others = messages > 1 ? `, as of ${plural(messages - 1, 'other message')} on this node` : '';
  return element('details', 'hint', element('summary', '', `Stack trace${others}`), element('pre', 'reason', text));
}

function payload({ message, outbox }) {
  const isErased = message.payload === '' && message.bytes > 0;
  const content = hidden() ? [hidden()] : shownPayload(message, outbox, isErased);
  return part(`Payload, ${bytes(message.bytes)} of ${message.contentType}`, ...content);
}

const shownPayload = (message, outbox, isErased) => [
  isErased && element('p', 'hint', 'Erased after it was sent, as configured.'),
  message.payload === null && element('p', 'hint', 'Binary.'),
  message.payload && element('pre', '', prettyJson(message.payload)),
  !isErased && download(message.id, outbox),
];

function download(id, outbox) {
  const made = element('a', '', 'Download');
  made.href = api.payloadOf(id, outbox);
  made.download = '';
  return element('p', '', made);
}

/** What happened to it, as far as it was recorded. */
function story({ message, audit, failures }, letters) {
  const events = [
    message.occurredAt && [message.occurredAt, 'Fired by the application'],
    message.createdAt && [message.createdAt, 'Stored with its transaction'],
    message.lastAttemptAt && message.status !== 'PUBLISHED' && [message.lastAttemptAt, lastAttempt(message)],
    message.publishedAt && [message.publishedAt, `Published, ${plural(message.attempts, 'attempt')} in all`],
    ...failures.map(({ at, consumer, times, reason }) => [at, `Consumer ${consumer} failed${times > 1 ? `, ${count(times)} times in all` : ''}: ${reason}`]),
    ...letters.map(({ failedAt, queue }) => failedAt && [failedAt, `Put aside by the broker, in ${queue}`]),
    ...audit.map((entry) => [entry.at, `${DONE[entry.action] ?? entry.action} by ${entry.who}${alone(entry)}`]),
  ].filter(Boolean);
  events.sort(([one], [other]) => Date.parse(one) - Date.parse(other));
  return events.length > 0 && part(
    'Story',
    element(
      'ol',
      'story',
      ...events.map(([at, text]) => element('li', '', moment('when', at, exactTime), element('span', '', text))),
    ),
  );
}

function lastAttempt(message) {
  if (message.status === 'DISCARDED') {
    return 'Discarded';
  }
  if (message.status === 'EXPIRED') {
    return 'Its time to live was over';
  }
  return message.attempts > 0 ? `Attempt ${count(message.attempts)} failed` : 'Tried last';
}

/** Whether it was meant alone, or was one of many. */
const alone = ({ changed }) => (changed === 1 ? '' : `, with ${plural(changed - 1, 'other')}`);

function facts(message) {
  const known = [
    ['Id', link('Link to this message', { id: message.id }, message.id)],
    ['Key', role.lack(role.SUPPORT) || (message.key === null ? 'none: not ordered' : all('key', message.key))],
    ['Destination', message.destination],
    ['Sequence', String(message.sequence)],
    ...(message.problem ? [] : readable(message)),
  ];
  return part('Details', list(known));
}

const list = (known) =>
  element(
    'dl',
    'facts',
    ...known
      .filter(([, value]) => value !== null && value !== undefined)
      .flatMap(([name, value]) => [element('dt', '', name), element('dd', 'mono', value)]),
  );

function readable(message) {
  return [
    ['Attempts', count(message.attempts)],
    ['Version', String(message.version)],
    ['Aggregate type', message.aggregateType],
    ['Aggregate id', message.aggregateId === message.key ? null : all('aggregate', message.aggregateId)],
    ['Correlation', all('correlation', message.correlationId)],
    ['Caused by', all('causation', message.causationId)],
    ['Tenant', all('tenant', message.tenantId)],
    ['Not before', message.notBefore && moment('', message.notBefore, exactTime)],
    ['Expires', message.expiresAt && moment('', message.expiresAt, exactTime)],
    ['Priority', message.priority === null ? null : String(message.priority)],
    ...Object.entries(message.headers),
  ];
}

/** A link to all messages that have the value; null where this one has none. */
const all = (field, value) => value && link('Show all with this value', { [field]: value }, value);

function link(title, target, text) {
  const made = element('a', '', text);
  made.href = address(target);
  made.title = title;
  return made;
}

function part(title, ...content) {
  return element('section', 'part', element('h3', '', title), ...content.filter(Boolean));
}
