const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const exact = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** 14:03:22, with the day if that is not today. */
export function time(date) {
  return withDay(date, clock.format(date));
}

/** 14:03:22.418, with the day if that is not today. */
export function exactTime(date) {
  return withDay(date, exact.format(date));
}

function withDay(date, text) {
  return date.toDateString() === new Date().toDateString() ? text : `${day.format(date)}, ${text}`;
}

/** 38 ms, 2.4 s, 3 min 5 s. Never negative: two clocks may be a little apart. */
export function duration(millis) {
  const elapsed = Math.max(0, millis);
  if (elapsed < 1000) {
    return `${Math.round(elapsed)} ms`;
  }
  if (elapsed < 60_000) {
    return `${(elapsed / 1000).toFixed(1)} s`;
  }
  const seconds = Math.round(elapsed / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The first characters of a UUID are enough to tell two apart by eye. */
export function shortId(id) {
  return id.slice(0, 8);
}

export function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A JSON text with line breaks; any other text as it is. */
export function prettyJson(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
