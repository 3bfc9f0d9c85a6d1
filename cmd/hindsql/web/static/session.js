// Keys on the page of a session, and what else takes a script there: to unfold what
// a link leads to.
const list = document.getElementById("pieces");
if (list) begin();

function begin() {
  const help = dialog();
  const keys = document.getElementById("keys");
  keys.hidden = false;
  keys.addEventListener("click", () => help.showModal());
  unfold();
  window.addEventListener("hashchange", unfold);
  document.addEventListener("keydown", (e) => {
    if (e.key === "Escape" && e.target.matches("input, select")) return e.target.blur();
    if (e.ctrlKey || e.metaKey || e.altKey || help.open || e.target.closest("input, textarea, select, [contenteditable]")) return;
    const act = {
      j: () => go(":scope > .message, :scope > .across.piece", 1), k: () => go(":scope > .message, :scope > .across.piece", -1),
      n: () => go(".call.refused", 1), p: () => go(".call.refused", -1),
      "/": () => document.getElementById("find").focus(), "?": () => help.showModal(),
    }[e.key];
    if (!act) return;
    e.preventDefault();
    act();
  });
}

// unfold opens what the address leads to, and what that is in.
function unfold() {
  let at = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!at) return;
  const shown = at;
  for (; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  shown.scrollIntoView();
}

// go moves to the next of the parts, or the one before, as seen from the part that
// was gone to last, or else from the top of the window.
let current = null;
function go(selector, step) {
  const parts = [...list.querySelectorAll(selector)];
  const top = (part) => part.getBoundingClientRect().top;
  const line = current && current.isConnected && Math.abs(top(current) - bar()) < innerHeight ? top(current) : bar();
  const next = step > 0 ? parts.find((p) => p !== current && top(p) > line + 2) : parts.findLast((p) => p !== current && top(p) < line - 2);
  if (!next) {
    const page = document.querySelector(step > 0 ? '.pages a[rel="next"]' : '.pages a[rel="prev"]');
    if (selector.startsWith(":scope")) page?.click();
    else beside(step);
    return;
  }
  if (current) current.classList.remove("current");
  current = next;
  current.classList.add("current");
  current.tabIndex = -1;
  current.scrollIntoView({ block: "start" });
  current.focus({ preventScroll: true });
}

// beside goes to the next refusal on a later page, or to the one on an earlier page.
function beside(step) {
  const address = step > 0 ? list.dataset.after : list.dataset.before;
  if (address) return location.assign(address);
  document.getElementById("told").textContent = step > 0 ? "No refusal comes after this one." : "No refusal comes before this one.";
}

function bar() { return parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0; }

function dialog() {
  const d = document.createElement("dialog");
  d.setAttribute("aria-labelledby", "keys-title");
  d.innerHTML = '<h2 id="keys-title">Keys</h2><dl><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next and previous message</dd><dt><kbd>n</kbd> <kbd>p</kbd></dt><dd>next and previous refusal</dd>' +
    '<dt><kbd>/</kbd></dt><dd>find in this session</dd><dt><kbd>Esc</kbd></dt><dd>leave the field</dd><dt><kbd>?</kbd></dt><dd>these keys</dd></dl><form method="dialog"><button>Close</button></form>';
  document.body.append(d);
  return d;
}
