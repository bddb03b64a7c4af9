/** Makes an element. Data gets in as text only, never as markup. */
export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...content);
  return made;
}

/** Sets a text if it differs, so that selections survive and screen readers are not told the same again. */
export function setText(target, text) {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}

/** Sets a data attribute, and tells whether it was something else before. */
export function setState(target, name, value) {
  const before = target.dataset[name];
  if (before === value) {
    return false;
  }
  target.dataset[name] = value;
  return before !== undefined;
}

/** Makes these the children, in this order; moves only what is out of place, so that the focus stays where it is. */
export function arrange(parent, wanted) {
  const keep = new Set(wanted);
  [...parent.children].filter((child) => !keep.has(child)).forEach((child) => child.remove());
  wanted.forEach((child, index) => {
    if (parent.children[index] !== child) {
      parent.insertBefore(child, parent.children[index] ?? null);
    }
  });
}

const calm = matchMedia('(prefers-reduced-motion: reduce)');

export function enter(target) {
  if (!calm.matches) {
    target.animate([{ opacity: 0, transform: 'translateY(-8px)' }, {}], { duration: 320, easing: 'ease-out' });
  }
}

export function pulse(target) {
  if (!calm.matches) {
    target.animate([{ transform: 'scale(1.12)' }, {}], { duration: 360, easing: 'ease-out' });
  }
}
