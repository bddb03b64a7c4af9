const TIMEOUT_MILLIS = 10_000;

/** The server answered, but not with a success. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem.error ?? `The server answered ${status}.`);
    this.status = status;
    this.orderId = problem.orderId;
    this.violations = problem.violations ?? [];
  }
}

/** The server did not answer. What it was asked to do, it may have done. */
export class Unanswered extends Error {}

async function call(path, options) {
  const response = await send(path, options);
  if (!response.ok) {
    // A proxy or a server that is just starting may answer with something that is not JSON.
    throw new Refused(response.status, await response.json().catch(() => ({})));
  }
  return response.json();
}

async function send(path, options) {
  try {
    return await fetch(`api/${path}`, {
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      ...options,
    });
  } catch (failure) {
    throw new Unanswered('The server does not answer.', { cause: failure });
  }
}

function of(path, orderId) {
  return orderId ? `${path}?order=${encodeURIComponent(orderId)}` : path;
}

export const orders = () => call('orders');
export const messages = (orderId) => call(of('messages', orderId));
export const putAside = () => call('put-aside');
export const sendUnknown = () => call('put-aside', { method: 'POST' });
export const deliveries = (orderId) => call(of('deliveries', orderId));

export function placeOrder(order, failAfterFire) {
  return call(failAfterFire ? 'orders?fail=after-fire' : 'orders', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(order),
  });
}

export const cancelOrder = (id) => call(`orders/${encodeURIComponent(id)}/cancel`, { method: 'POST' });
