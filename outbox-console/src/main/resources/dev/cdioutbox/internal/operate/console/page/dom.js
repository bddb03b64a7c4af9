export const byId = (id) => document.getElementById(id);

/** Makes an element. Data gets in as text only, never as markup. */
export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...content);
  return made;
}

/** Sets a text if it differs, so that selections survive and screen readers do not repeat it. */
export function setText(target, text) {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}

/** A moment, shown by a function of the date, with UTC as its tooltip: the logs and the database have that. */
export function moment(className, instant, show) {
  const date = new Date(instant);
  const made = element('time', className, show(date));
  made.dateTime = instant;
  made.title = date.toISOString();
  return made;
}

export function button(className, text, onClick) {
  const made = element('button', className, text);
  made.type = 'button';
  made.addEventListener('click', onClick);
  return made;
}

const STATUS_TEXT = {
  PENDING: 'Waiting',
  FAILED: 'Retrying',
  PUBLISHED: 'Published',
  ABANDONED: 'Abandoned',
  EXPIRED: 'Expired',
  DISCARDED: 'Discarded',
};

export const STATUSES = Object.keys(STATUS_TEXT);
export const statusText = (status) => STATUS_TEXT[status] ?? status;

export function badge(status) {
  const made = element('span', 'badge', statusText(status));
  made.dataset.status = status;
  return made;
}
