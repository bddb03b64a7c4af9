import { setText } from './dom.js';

const FIELDS = ['customer', 'item', 'quantity'];
const byId = (id) => document.getElementById(id);

/** What the fields say. What is wrong with it is for the server to tell. */
export function readOrder() {
  const quantity = byId('quantity').value;
  return {
    customer: byId('customer').value,
    item: byId('item').value,
    quantity: quantity === '' ? null : Number(quantity),
  };
}

export function isFailing() {
  return byId('fail').checked;
}

export function showResult(kind, text) {
  byId('result').dataset.kind = kind;
  setText(byId('result'), text);
}

/** Marks the fields that the server refused, and goes to the first of them. */
export function showViolations(violations) {
  for (const field of FIELDS) {
    const own = violations.filter((violation) => violation.field === field).map((violation) => violation.message);
    const input = byId(field);
    if (own.length > 0) {
      input.setAttribute('aria-invalid', 'true');
    } else {
      input.removeAttribute('aria-invalid');
    }
    setText(byId(`${field}-error`), own.join('; '));
  }
  byId('form').querySelector('[aria-invalid]')?.focus();
}
