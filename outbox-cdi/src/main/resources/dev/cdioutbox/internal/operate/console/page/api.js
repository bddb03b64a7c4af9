const TIMEOUT_MILLIS = 30_000;

/** The server answered, but not with a success. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.error ? sentence(problem) : `The server answered ${status}.`);
    this.status = status;
  }
}

function sentence({ error, code }) {
  return code ? `${error} ${code}; the server's log says why.` : error;
}

let outbox = '';

/** Which of the application's outboxes is asked; empty for the default one. */
export const choose = (name) => (outbox = name);
export const chosen = () => outbox;

export const session = () => call('session');
export const audit = () => call(`audit?${parameters({})}`);
export const preview = (action, filter) => call(`preview?${parameters({ ...filter, action })}`);

export async function state() {
  const { backlog, ...rest } = await call(`state?${parameters({})}`);
  return { ...backlog, ...rest };
}

export async function message(id, of) {
  const { message: readable, unreadable, ...details } = await call(`messages/${encodeURIComponent(id)}?${parameters({ outbox: of })}`);
  return { ...details, message: readable ? flat(readable) : unreadable };
}

/** An unreadable row stands among the messages, at its place: it has a problem, and few of their values. */
export async function messages(filter, below) {
  const { messages: readable, unreadable, next } = await call(`messages?${parameters({ ...filter, below })}`);
  return { next, messages: [...readable.map(flat), ...unreadable].sort((one, other) => other.sequence - one.sequence) };
}

/** All parts of a message in one. The time that is left would make each answer look new. */
function flat({ event, body, context, terms: { timeLeft, ...terms }, delivery, ...message }) {
  return { ...message, ...event, ...body, ...context, ...terms, ...delivery };
}

/**
 * Changes something in the outbox that it names: the one that was shown, whichever is chosen by now. The server refuses a
 * change without the header, which a page from elsewhere cannot send.
 */
export const change = (action, asked) =>
  call(action, { method: 'POST', headers: { 'X-Outbox-Console': 'page' }, body: parameters(asked) });

const SIGNED_OUT = 401;
let signedOut = false;

export const isSignedOut = () => signedOut;

/**
 * Ends the session. The server answers 401, which makes a browser forget a password of HTTP Basic. No call follows: the browser
 * would ask for a user.
 */
export async function signOut() {
  const answer = change('sign-out', {});
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
    response = await fetch(`api/${path}`, {
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
