import { arrange, element, setState, setText, pulse } from './dom.js';
import { shortId, time } from './format.js';
import { Hop } from './hop.js';

const STATUS_TEXT = { PLACED: 'Placed', CANCELLED: 'Cancelled' };

/** One order and its messages. */
export class Journey {
  #hops = new Map();

  constructor(order, cancel) {
    this.badge = element('span', 'badge');
    this.button = element('button', 'quiet', 'Cancel order');
    this.button.type = 'button';
    this.button.setAttribute('aria-label', `Cancel the order of ${order.customer}, ${order.lines.map(lineText).join(', ')}`);
    this.button.addEventListener('click', () => this.#cancel(order.id, cancel));
    this.problem = element('p', 'reason');
    this.problem.setAttribute('role', 'status');
    this.problem.hidden = true;
    this.hops = element('ol', 'hops');
    this.none = element('li', 'none', 'Its messages are no longer kept');

    const cell = element(
      'div',
      'cell order',
      element('p', 'label', 'Order'),
      element('p', 'title', order.customer),
      this.badge,
      element('p', 'lines', order.lines.map(lineText).join(', ')),
      orderFacts(order),
      this.button,
      this.problem,
    );
    this.element = element('li', 'journey card', cell, this.hops);
    this.element.tabIndex = -1;
  }

  update(order, messages, deliveries) {
    if (setState(this.element, 'order', order.status)) {
      pulse(this.badge);
    }
    setText(this.badge, STATUS_TEXT[order.status] ?? order.status);
    this.button.hidden = order.status !== 'PLACED';
    arrange(this.hops, this.#update(messages, deliveries));
  }

  #update(messages, deliveries) {
    const known = new Map(messages.map((message) => [message.id, message]));
    const sequences = new Map([...deliveries, ...messages].map((each) => [each.messageId ?? each.id, each.sequence]));
    const ids = [...sequences.keys()].sort((one, other) => sequences.get(one) - sequences.get(other));
    for (const id of ids) {
      if (!this.#hops.has(id)) {
        this.#hops.set(id, new Hop());
      }
      this.#hops.get(id).update(
        known.get(id),
        deliveries.filter((delivery) => delivery.messageId === id),
      );
    }
    return ids.length === 0 ? [this.none] : ids.map((id) => this.#hops.get(id).element);
  }

  async #cancel(id, cancel) {
    this.button.disabled = true;
    try {
      await cancel(id);
      this.problem.hidden = true;
      // The button is about to go.
      this.element.focus();
    } catch (failure) {
      setText(this.problem, failure.message);
      this.problem.hidden = false;
    } finally {
      this.button.disabled = false;
    }
  }
}

export function lineText(line) {
  return `${line.quantity} × ${line.item}`;
}

function orderFacts(order) {
  const id = element('abbr', 'mono', shortId(order.id));
  id.title = order.id;
  const placed = element('time', '', time(new Date(order.placedAt)));
  placed.dateTime = order.placedAt;
  return element('p', 'facts', placed, ' · ', id);
}
