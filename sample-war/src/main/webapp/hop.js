import { element, enter, pulse, setState, setText } from './dom.js';
import { duration, exactTime, plural, prettyJson } from './format.js';

const STATUS_TEXT = {
  PENDING: 'Pending',
  PROCESSING: 'Sending',
  FAILED: 'Retrying',
  PUBLISHED: 'Published',
  ABANDONED: 'Abandoned',
  EXPIRED: 'Expired',
  DISCARDED: 'Discarded',
};
const ON_ITS_WAY = new Set(['PENDING', 'PROCESSING', 'FAILED']);

export function isOnItsWay(message) {
  return ON_ITS_WAY.has(message.status);
}

/** One message: what the outbox knows of it, and what the consumer received. */
export class Hop {
  constructor() {
    this.type = element('p', 'title mono');
    this.badge = element('span', 'badge');
    this.timing = element('strong', '');
    this.facts = element('span', '');
    this.error = element('p', 'reason');
    this.message = element(
      'div',
      'cell message',
      element('p', 'label', 'Outbox message'),
      this.type,
      this.badge,
      element('p', 'facts', this.timing, this.facts),
      this.error,
    );

    this.received = element('p', 'title');
    this.receipt = element('span', 'badge');
    this.place = element('p', 'facts');
    this.payload = element('pre', 'payload');
    this.details = element('details', '', element('summary', '', 'Payload'), this.payload);
    this.delivery = element(
      'div',
      'cell delivery',
      element('p', 'label', 'Delivery'),
      this.received,
      this.receipt,
      this.place,
      this.details,
    );

    this.element = element('li', 'hop', this.message, this.delivery);
  }

  /** Shows both; the message is undefined if the outbox has purged it already. */
  update(message, deliveries) {
    setText(this.type, message?.eventType ?? deliveries[0].eventType);
    this.#showMessage(message);
    this.#showDeliveries(message, deliveries);
  }

  #showMessage(message) {
    const status = message?.status ?? 'PURGED';
    if (setState(this.element, 'message', status)) {
      pulse(this.badge);
    }
    setText(this.badge, STATUS_TEXT[status] ?? 'No longer kept');
    setText(this.timing, message ? timing(message) : '');
    setText(this.facts, message ? facts(message) : 'Purged after its retention');
    setText(this.error, message?.lastError ?? '');
    this.error.hidden = !message?.lastError;
  }

  #showDeliveries(message, deliveries) {
    const state = deliveries.length > 1 ? 'duplicate' : deliveries.length === 1 ? 'received' : 'none';
    if (setState(this.element, 'delivery', state)) {
      enter(this.received);
      pulse(this.receipt);
    }
    const first = deliveries.at(-1);
    this.details.hidden = !first;
    if (!first) {
      setText(this.received, waitingFor(message));
      setText(this.receipt, '');
      setText(this.place, '');
      return;
    }
    setText(this.received, exactTime(new Date(first.receivedAt)));
    setText(this.receipt, deliveries.length > 1 ? `Received ${deliveries.length} times` : 'Received');
    setText(this.place, `Sequence ${first.sequence}`);
    setText(this.payload, prettyJson(first.payload));
  }
}

function timing(message) {
  const stored = Date.parse(message.createdAt);
  if (message.publishedAt) {
    return `Sent after ${duration(Date.parse(message.publishedAt) - stored)}`;
  }
  return isOnItsWay(message) ? `Waiting for ${duration(Date.now() - stored)}` : 'Not sent';
}

function facts(message) {
  return ` · ${plural(message.attempts, 'attempt')} · sequence\u00a0${message.sequence}`;
}

function waitingFor(message) {
  if (!message || message.status === 'PUBLISHED') {
    return 'In the queue';
  }
  return isOnItsWay(message) ? 'Not sent yet' : 'Not sent';
}
