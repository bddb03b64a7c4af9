const numbers = new Intl.NumberFormat('en');
const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
});
const exact = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
  timeZoneName: 'short',
});
const minutes = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });

export const count = (value) => numbers.format(value);
export const minute = (date) => minutes.format(date);

/** The browser's time zone, in which all times are shown: Europe/Berlin. */
export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** 14:03:22 GMT+1, with the day if that is not today. */
export const time = (date) => withDay(date, clock.format(date));

/** 14:03:22.418 GMT+1, with the day if that is not today. */
export const exactTime = (date) => withDay(date, exact.format(date));

function withDay(date, text) {
  return date.toDateString() === new Date().toDateString() ? text : `${day.format(date)}, ${text}`;
}

/** 0.4 s, 12 s, 3 min 5 s, 2 h 10 min, 4 d 3 h. Never negative: two clocks may be a little apart. */
export function duration(millis) {
  const seconds = Math.max(0, millis) / 1000;
  if (seconds < 10) {
    return `${seconds.toFixed(1)} s`;
  }
  if (seconds < 60) {
    return `${Math.floor(seconds)} s`;
  }
  if (seconds < 3600) {
    return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  }
  if (seconds < 86_400) {
    return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  }
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

export function plural(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** 840 B, 3.2 kB, 1.0 MB. */
export function bytes(value) {
  if (value < 1000) {
    return `${value} B`;
  }
  return value < 1_000_000 ? `${(value / 1000).toFixed(1)} kB` : `${(value / 1_000_000).toFixed(1)} MB`;
}

const JSON_TOKEN = /\s+|\{\s*\}|\[\s*\]|"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const DEEPEST = 20;

/** A JSON text with line breaks; each name and value is as it was stored, the longest number too. Any other text as it is. */
export function prettyJson(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const line = () => `\n${'  '.repeat(Math.min(depth, DEEPEST))}`;
  const laidOut = {
    '{': () => `{${(depth++, line())}`,
    '[': () => `[${(depth++, line())}`,
    '}': () => `${(depth--, line())}}`,
    ']': () => `${(depth--, line())}]`,
    ',': () => `,${line()}`,
    ':': () => ': ',
  };
  return text.replace(JSON_TOKEN, (token) => laidOut[token]?.() ?? (/^[[{]/.test(token) ? token[0] + token.at(-1) : token.trim()));
}
