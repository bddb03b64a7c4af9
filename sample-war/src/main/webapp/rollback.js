import { element, setText } from './dom.js';
import { plural, shortId, time } from './format.js';
import { lineText } from './journey.js';

const WATCHED_MILLIS = 30_000;

/** An order that was rolled back. The server knows nothing of it, which is the point: this page alone remembers it. */
export class Rollback {
  constructor(order, orderId, dismiss) {
    this.orderId = orderId;
    this.at = Date.now();
    this.proof = element('p', 'facts proof', 'Asking the server…');
    const close = element('button', 'quiet', 'Dismiss');
    close.type = 'button';
    close.setAttribute('aria-label', `Dismiss the rolled back order of ${order.customer}`);
    close.addEventListener('click', () => dismiss(this));
    const id = element('abbr', 'mono', shortId(orderId));
    id.title = orderId;

    this.element = element(
      'li',
      'journey card rollback',
      element(
        'div',
        'cell order',
        element('p', 'label', 'Order'),
        element('p', 'title', order.customer),
        element('span', 'badge', 'Rolled back'),
        element('p', 'lines', lineText(order)),
        element('p', 'facts', time(new Date(this.at)), ' · ', id),
        close,
      ),
      element(
        'div',
        'hops',
        element(
          'div',
          'hop',
          stage('Outbox message', 'No message', 'fired, and undone with its transaction'),
          stage('Delivery', 'Nothing sent', 'the consumer never hears of it'),
        ),
        this.proof,
      ),
    );
  }

  /** For a while it is looked up again: what was wrongly sent might arrive late. */
  isRecent() {
    return Date.now() - this.at < WATCHED_MILLIS;
  }

  /** Shows what the server has of it. */
  prove(orders, messages, deliveries) {
    const found = `${plural(orders, 'order')}, ${plural(messages, 'message')} and ${plural(deliveries, 'shipment')}`;
    this.element.classList.toggle('broken', orders + messages + deliveries > 0);
    setText(this.proof, `Looked up at ${time(new Date())}: the database has ${found} of it.`);
  }
}

function stage(label, title, note) {
  return element('div', 'cell', element('p', 'label', label), element('p', 'title', title), element('p', 'facts', note));
}
