import * as api from './api.js';
import * as aside from './aside.js';
import * as board from './board.js';
import { setText } from './dom.js';
import * as feed from './feed.js';
import * as form from './form.js';
import { plural, shortId, time } from './format.js';
import { lineText } from './journey.js';
import { Rollback } from './rollback.js';

const POLL_MILLIS = 1000;

const byId = (id) => document.getElementById(id);
/** Orders that this page placed or cancelled: how many deliveries there will be once all has arrived. */
const awaited = new Map();
let timer;
let isPolling = false;
let isPollWanted = false;
let isPlacing = false;

/** Polls now, and then each second for as long as someone looks. Never two polls at a time. */
async function poll() {
  clearTimeout(timer);
  if (isPolling) {
    isPollWanted = true;
    return;
  }
  isPolling = true;
  isPollWanted = false;
  try {
    const state = await feed.read();
    board.show(state, cancel);
    await Promise.all(board.unproved().map((rollback) => prove(rollback, state.trips)));
    announceDeliveries(state.trips);
    showLink(document.hidden ? 'paused' : 'live');
    byId('banner').hidden = true;
  } catch (failure) {
    showLink('offline');
    setText(byId('banner'), `${failure.message} Trying again each second.`);
    byId('banner').hidden = false;
  }
  isPolling = false;
  if (!document.hidden) {
    timer = setTimeout(poll, isPollWanted ? 0 : POLL_MILLIS);
  }
}

async function place(event) {
  event.preventDefault();
  if (isPlacing) {
    return;
  }
  isPlacing = true;
  const order = form.readOrder();
  try {
    const placed = await api.placeOrder(order, form.isFailing());
    form.showViolations([]);
    form.showResult('done', `Order ${shortId(placed.id)} is committed, and its message with it.`);
    awaited.set(placed.id, 1);
  } catch (failure) {
    refuse(failure, order);
  }
  isPlacing = false;
  poll();
}

function refuse(failure, order) {
  form.showViolations(failure.violations ?? []);
  if (failure.orderId) {
    board.addRollback(new Rollback(order, failure.orderId, dismiss));
  }
  const doubt = failure instanceof api.Unanswered ? ' If the order was placed, it will appear below.' : '';
  form.showResult('refused', failure.message + doubt);
}

function dismiss(rollback) {
  board.removeRollback(rollback);
  byId('fail').focus({ preventScroll: true });
}

async function cancel(id) {
  await api.cancelOrder(id);
  awaited.set(id, 2);
  poll();
}

/** Looks up what the server has of an order that was rolled back. */
async function prove(rollback, trips) {
  const messages = await api.messages(rollback.orderId);
  const deliveries = await api.deliveries(rollback.orderId);
  const orders = trips.filter(({ order }) => order.id === rollback.orderId);
  rollback.prove(orders.length, messages.length, deliveries.length);
}

/** Tells those who cannot see it, and only of what they did themselves. */
function announceDeliveries(trips) {
  for (const { order, deliveries } of trips) {
    if (deliveries.length >= awaited.get(order.id)) {
      awaited.delete(order.id);
      const what = order.lines.map(lineText).join(', ');
      setText(byId('announcer'), `${order.customer}, ${what}: ${plural(deliveries.length, 'message')} delivered.`);
    }
  }
}

function showLink(state) {
  byId('link').dataset.state = state;
  setText(byId('link'), { live: `Live · ${time(new Date())}`, paused: 'Paused', offline: 'Offline' }[state]);
}

byId('form').addEventListener('submit', place);
aside.prepare();
document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : poll()));
poll();
