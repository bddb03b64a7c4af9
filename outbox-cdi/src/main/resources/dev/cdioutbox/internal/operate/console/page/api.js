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

let session;
let outbox = '';

/** Which of the application's outboxes is asked; empty for the default one. */
export const choose = (name) => (outbox = name);
export const chosen = () => outbox;

/** Who is signed in, and the secret that changes are asked for with. */
export async function signIn() {
  session = await call('session');
  return session.user;
}

export const state = () => call(`state?${parameters({})}`);
export const audit = () => call(`audit?${parameters({})}`);
export const message = (id, of) => call(`messages/${encodeURIComponent(id)}?${parameters({ outbox: of })}`);
export const messages = (filter, below) => call(`messages?${parameters({ ...filter, below })}`);
export const preview = (action, filter) => call(`preview?${parameters({ ...filter, action })}`);

/**
 * Changes something, in the outbox that it names: the one that was shown, whichever is chosen by now. One who signed in anew
 * has a new secret; so it is asked for once more.
 */
export async function change(action, asked) {
  try {
    return await post(action, asked);
  } catch (failure) {
    if (failure.status !== 403) {
      throw failure;
    }
    await signIn();
    return post(action, asked);
  }
}

function post(action, asked) {
  return call(action, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Outbox-Csrf': session.csrf },
    body: JSON.stringify(asked),
  });
}

function parameters(values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ outbox, ...values })) {
    [value].flat().filter((one) => one !== undefined && one !== null && one !== '').forEach((one) => query.append(name, one));
  }
  return query;
}

async function call(path, options) {
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
