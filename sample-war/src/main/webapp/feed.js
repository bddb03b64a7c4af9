import * as api from './api.js';
import { isOnItsWay } from './hop.js';

const SHOWN = 20;
const LOOK_AGAIN_MILLIS = 10_000;
const LOOK_UPS_AT_A_TIME = 3;

/** Per order: what the server was asked for by its id, since the lists lacked it, and when. */
const lookedUp = new Map();

/** Reads the newest orders, each with its messages and deliveries, and how many messages wait. */
export async function read() {
  // One after the other, the messages last: what one answer speaks of is in the next. So no order is ever seen without
  // its message, and no delivery beside a message that is still to be sent.
  const orders = (await api.orders()).slice(0, SHOWN);
  const deliveries = await api.deliveries();
  const messages = await api.messages();

  const trips = orders.map((order) => ({
    order,
    messages: messages.filter((message) => message.key === order.id),
    deliveries: deliveries.filter((delivery) => delivery.orderId === order.id),
  }));
  await complete(trips.filter(lacksSomething));
  return { trips, waiting: messages.filter(isOnItsWay).length };
}

/** The lists hold the newest only. An order's own list is asked for when something of it is not in there. */
async function complete(lacking) {
  const ids = new Set(lacking.map(({ order }) => order.id));
  [...lookedUp.keys()].filter((id) => !ids.has(id)).forEach((id) => lookedUp.delete(id));

  const stale = lacking.filter(({ order }) => !(Date.now() - lookedUp.get(order.id)?.at < LOOK_AGAIN_MILLIS));
  for (const { order } of stale.slice(0, LOOK_UPS_AT_A_TIME)) {
    const deliveries = await api.deliveries(order.id);
    lookedUp.set(order.id, { at: Date.now(), deliveries, messages: await api.messages(order.id) });
  }
  for (const trip of lacking) {
    const { messages, deliveries } = lookedUp.get(trip.order.id) ?? trip;
    Object.assign(trip, { messages, deliveries });
  }
}

function lacksSomething({ order, messages, deliveries }) {
  const fired = order.status === 'CANCELLED' ? 2 : 1;
  const received = new Set(deliveries.map((delivery) => delivery.messageId));
  return messages.length < fired || messages.some(({ status, id }) => status === 'PUBLISHED' && !received.has(id));
}
