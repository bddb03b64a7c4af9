export const SUPPORT = 'outbox-support';
export const OPERATOR = 'outbox-admin';
const ROLES = ['outbox-viewer', SUPPORT, OPERATOR];

/** Until the server has said it, nothing is refused here; the server refuses what must be. */
let mine = OPERATOR;

export const may = (needed) => ROLES.indexOf(mine) >= ROLES.indexOf(needed);

/** What is missing, for the eyes; empty if nothing is. */
export const lack = (needed) => (may(needed) ? '' : `Needs the role ${needed}.`);

/** Takes over the user's role, and shows what it does not allow. */
export function take(role) {
  if (mine !== role) {
    mine = role;
    document.querySelectorAll('[data-role]').forEach(show);
  }
}

/** A button, or a field, for users with a role. */
export function guard(made, needed) {
  made.dataset.role = needed;
  show(made);
  return made;
}

function show(guarded) {
  guarded.disabled = !may(guarded.dataset.role);
  guarded.title = lack(guarded.dataset.role);
}
