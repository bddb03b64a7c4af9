import * as api from './api.js';
import { byId, element, setText, STATUSES, statusText } from './dom.js';
import { zone } from './format.js';

const FIELDS = ['type', 'key', 'aggregate', 'destination', 'correlation', 'causation', 'tenant', 'error', 'from', 'before'];
const TIMES = new Set(['from', 'before']);
/** Blanks are part of them: “a” and “a ” are two keys. */
const LITERAL = new Set(['key', 'aggregate', 'correlation', 'causation', 'tenant', 'error']);
/** In words, also for the audit. */
export const NAMES = {
  type: 'event type',
  key: 'key',
  aggregate: 'aggregate id',
  destination: 'destination',
  correlation: 'correlation id',
  causation: 'caused by',
  tenant: 'tenant',
  error: 'error with',
  from: 'stored from',
  before: 'stored before',
};
export const LETTER_NAMES = { queue: 'dead letters in', message: 'id', ...NAMES };

const form = byId('filter');

export function prepare() {
  document.querySelectorAll('[data-zone]').forEach((each) => setText(each, `(${zone()})`));
  byId('states').append(
    ...STATUSES.map((status) => {
      const box = element('input', '');
      Object.assign(box, { type: 'checkbox', name: 'status', value: status });
      const chip = element('label', 'chip', box, element('span', '', statusText(status)));
      chip.dataset.status = status;
      return chip;
    }),
  );
}

/** The destinations to choose from; one that is chosen stays so. */
export function offer(destinations) {
  const select = form.elements.destination;
  const offered = [...select.options].map(({ value }) => value);
  destinations.filter((name) => !offered.includes(name)).forEach((name) => select.append(new Option(name, name)));
}

/** Another outbox has other destinations. */
export const leave = () => form.elements.destination.replaceChildren(new Option('any', ''));

/** What is asked for, as the API takes it. */
export function read() {
  const filter = { status: [...form.querySelectorAll('[name=status]:checked')].map(({ value }) => value) };
  for (const name of FIELDS) {
    const { value: written } = form.elements[name];
    const value = LITERAL.has(name) ? written : written.trim();
    filter[name] = value && TIMES.has(name) ? new Date(value).toISOString() : value;
  }
  return filter;
}

/** In words, for who is asked whether he means it. */
export function describe(filter) {
  const said = FIELDS.filter((name) => filter[name]).map((name) => `${NAMES[name]} ${visible(filter[name])}`);
  if (filter.status.length > 0) {
    said.unshift(`state ${filter.status.map(statusText).join(' or ')}`);
  }
  return said.length > 0 ? said.join('; ') : 'no filter is set: all messages';
}

/** The same for dead letters. */
export const describeLetters = ({ queue, ...filter }) =>
  [queue, ...['message', 'type', 'key'].filter((name) => filter[name]).map((name) => `${LETTER_NAMES[name]} ${visible(filter[name])}`)].join('; ');

/** Blanks at the ends show in quotes only. */
const visible = (text) => (text === text.trim() ? text : `“${text}”`);

/** The filter is in the address, so that it can be sent to a colleague, and the way back works. */
export function toAddress(filter) {
  const hash = address(filter);
  if (location.hash !== hash && !(hash === '#' && location.hash === '')) {
    history.pushState(null, '', hash === '#' ? location.pathname : hash);
  }
}

/** With the outbox: a link to a number's messages must not lead to those of another one. */
export function address(filter) {
  const query = new URLSearchParams();
  Object.entries(filter).forEach(([name, value]) => [value].flat().filter(Boolean).forEach((one) => query.append(name, one)));
  if (api.chosen()) {
    query.append('outbox', api.chosen());
  }
  return `#${query}`;
}

/** The message that a link names by its id; null for a link to a list. */
export const messageInAddress = () => new URLSearchParams(location.hash.slice(1)).get('id');

export function fromAddress() {
  const query = new URLSearchParams(location.hash.slice(1));
  const outbox = query.get('outbox') ?? '';
  if (outbox !== api.chosen()) {
    leave();
    api.choose(outbox);
  }
  offer(query.getAll('destination'));
  const statuses = new Set(query.getAll('status'));
  form.querySelectorAll('[name=status]').forEach((box) => (box.checked = statuses.has(box.value)));
  for (const name of FIELDS) {
    const value = query.get(name) ?? '';
    form.elements[name].value = value && TIMES.has(name) ? local(value) : value;
  }
}

/** As the field wants it: local time without a zone. */
function local(instant) {
  const date = new Date(instant);
  return Number.isNaN(date.getTime())
    ? ''
    : new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
