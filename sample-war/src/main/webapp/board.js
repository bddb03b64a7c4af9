import { arrange, enter, setText } from './dom.js';
import { Journey } from './journey.js';

const byId = (id) => document.getElementById(id);
const journeys = new Map();
let rollbacks = [];
let shownBefore = false;

/** Shows each order with how far it got, and among them those that were rolled back, the newest first. */
export function show({ trips, waiting }, cancel) {
  const orders = trips.map((trip) => ({ at: Date.parse(trip.order.placedAt), ...journeyOf(trip, cancel) }));
  const rows = [...orders, ...rollbacks].sort((one, other) => other.at - one.at);
  arrange(byId('journeys'), rows.map((row) => row.element));
  if (shownBefore) {
    orders.filter((row) => row.isNew).forEach((row) => enter(row.element));
  }
  shownBefore = true;
  byId('empty').hidden = rows.length > 0;
  setText(byId('waiting'), waiting > 0 ? `${waiting} waiting` : '');
}

export function addRollback(rollback) {
  rollbacks.push(rollback);
  byId('journeys').prepend(rollback.element);
  byId('empty').hidden = true;
  enter(rollback.element);
}

export function removeRollback(rollback) {
  rollbacks = rollbacks.filter((other) => other !== rollback);
  rollback.element.remove();
}

export function unproved() {
  return rollbacks.filter((rollback) => rollback.isRecent());
}

function journeyOf({ order, messages, deliveries }, cancel) {
  const isNew = !journeys.has(order.id);
  if (isNew) {
    journeys.set(order.id, new Journey(order, cancel));
  }
  const journey = journeys.get(order.id);
  journey.update(order, messages, deliveries);
  return { element: journey.element, isNew };
}
