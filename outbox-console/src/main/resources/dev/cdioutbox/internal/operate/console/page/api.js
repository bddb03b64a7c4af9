const API = 'api/v1/';
const TIMEOUT_MILLIS = 30_000;
const FAILURES = 500;

/** The server answered, but not with a success. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.error ? sentence(status, problem) : `The server answered ${status}.`);
    this.status = status;
  }
}

function sentence(status, { error, code, id }) {
  return status >= FAILURES ? `${error} ${code}; the server's log says why (id ${id}).` : error;
}

let outbox = '';

/** Which of the application's outboxes is asked; empty for the default one. */
export const choose = (name) => (outbox = name);
export const chosen = () => outbox;

export const audit = async () => (await read('audit', {})).entries;
export const diagnosis = () => read('diagnosis', {});
export const blockedKeys = () => read('blocked-keys', {});
export const preview = (action, filter) => read(`changes/${action}`, filter);

export async function state() {
  const { backlog, samples, ...rest } = await read('state', {});
  return { ...backlog, ...rest, samples: samples.map(({ at, ...counts }) => ({ at: Date.parse(at), ...counts })) };
}

export async function message(id, of) {
  const { message: readable, unreadable, ...details } = await read(pathOf(id), { outbox: of });
  return { ...details, message: readable ? flat(readable) : unreadable };
}

export const deadLetters = (asked) => read('dead-letters', asked);
export const previewLetters = (asked) => read('dead-letters/count', asked);

/** An unreadable row stands among the messages, at its place: it has a problem, and few of their values. */
export async function messages(filter, below) {
  const { messages: readable, unreadable, below: next } = await read('messages', { ...filter, below });
  return { next, messages: [...readable.map(flat), ...unreadable].sort((one, other) => other.sequence - one.sequence) };
}

/** All parts of a message in one. The time that is left would make each answer look new. */
function flat({ event, body, context, terms: { timeLeft, ...terms }, delivery, ...message }) {
  return { ...message, ...event, ...body, ...context, ...terms, ...delivery };
}

/** What a message is called in the API. */
export const pathOf = (id) => `messages/${encodeURIComponent(id)}`;

/** Where a browser downloads a payload. */
export const payloadOf = (id, of) => `${API}${pathOf(id)}/payload?${parameters({ outbox: of })}`;

const read = (path, asked) => call(`${API}${path}?${parameters(asked)}`);

/** Changes something in the outbox that it names: the one that was shown, whichever is chosen by now. */
export const change = (path, asked) => post(`${API}${path}`, asked);

/** The server refuses a change without the header, which a page from elsewhere cannot send. */
const post = (path, asked) => call(path, { method: 'POST', headers: { 'X-Outbox-Console': 'page' }, body: parameters(asked) });

const SIGNED_OUT = 401;
let signedOut = false;

export const isSignedOut = () => signedOut;

/**
 * Ends the session. The server answers 401, which makes a browser forget a password of HTTP Basic. No call follows: the browser
 * would ask for a user.
 */
export async function signOut() {
  const answer = post('sign-out', {});
  signedOut = true;
  try {
    await answer;
  } catch (failure) {
    if (failure.status !== SIGNED_OUT) {
      signedOut = false;
      throw failure;
    }
  }
}

function parameters(values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ outbox, ...values })) {
    [value].flat().filter((one) => one !== undefined && one !== null && one !== '').forEach((one) => query.append(name, one));
  }
  return query;
}

async function call(path, options) {
  if (signedOut) {
    throw new Error('You are signed out.');
  }
  let response;
  try {
    // The address of the page may have user and password, with which fetch() refuses a URL.
    response = await fetch(new URL(path, location.origin + location.pathname), {
      cache: 'no-store',
      credentials: 'same-origin',
      signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      ...options,
    });
  } catch (failure) {
    const text = failure.name === 'TimeoutError' ? 'No answer: the server hangs, or waits for its database.' : 'The server cannot be reached.';
    throw new Error(text, { cause: failure });
  }
  if (!response.ok) {
    throw new Refused(response.status, await response.json().catch(() => ({})));
  }
  return response.json();
}
