// The statements that ran on the page of SQL, the newest last, to take one up again.
// They stay in this browser and are sent nowhere. At NAME.localhost, a host that only
// this user knows, the browser keeps them. 127.0.0.1 may be another user's server
// later, at the same port: there they end with the tab.
const key = "statements", most = 50, longest = 20000, room = 200000; // characters
const kept = () => location.hostname.endsWith(".localhost") ? localStorage : sessionStorage;

function read() {
  try {
    const list = JSON.parse(kept().getItem(key));
    return Array.isArray(list) ? list.filter((sql) => typeof sql === "string") : [];
  } catch {
    return []; // a browser may keep nothing for pages
  }
}
function write(list) {
  try {
    if (list.length > 0) kept().setItem(key, JSON.stringify(list));
    else kept().removeItem(key);
  } catch { /* as above */ }
}

// add notes a statement that ran. One that ran before moves to the end.
function add(sql) {
  sql = sql.trim();
  if (!sql || sql.length > longest) return;
  const list = read().filter((one) => one !== sql).concat(sql).slice(-most);
  while (list.reduce((n, one) => n + one.length, 0) > room) list.shift();
  write(list);
}

// past shows the list below the form. It returns what notes a statement.
export function past(form, text) {
  const box = document.createElement("details");
  box.className = "past";
  box.innerHTML = `<summary>History</summary><ol></ol><p class="note"></p><button type="button">Clear the history</button>`;
  const [, list, note, clear] = box.children;
  note.textContent = kept() === localStorage ? "Only this browser has these statements." : "Only this tab has these statements, until it is closed.";
  form.after(box);
  const put = (sql) => {
    text.focus();
    text.setSelectionRange(0, text.value.length);
    if (!document.execCommand("insertText", false, sql)) text.value = sql; // the first keeps undo
  };
  const show = () => {
    const all = read().reverse();
    box.hidden = all.length === 0;
    list.replaceChildren(...all.map((sql) => {
      const item = document.createElement("li"), one = document.createElement("button"), code = document.createElement("code");
      one.type = "button";
      one.title = sql;
      code.textContent = sql.replace(/\s+/g, " ").slice(0, 300);
      one.append(code);
      one.addEventListener("click", () => put(sql));
      item.append(one);
      return item;
    }));
  };
  clear.addEventListener("click", () => {
    write([]);
    show();
    text.focus();
  });
  box.addEventListener("toggle", () => box.open && show()); // another tab may have added some

  // Alt with the up and down keys goes through the statements. at counts from the newest.
  let at = -1, draft = "";
  text.addEventListener("keydown", (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    const all = read().reverse();
    if (at >= 0 && text.value.trim() !== all[at]) at = -1; // somebody typed
    if (at < 0) {
      draft = text.value;
      if (all[0] === draft.trim()) at = 0;
    }
    const to = at + (event.key === "ArrowUp" ? 1 : -1);
    if (to < -1 || to >= all.length) return;
    at = to;
    put(at < 0 ? draft : all[at]);
  });
  show();
  return (sql) => {
    add(sql);
    at = -1;
    show();
  };
}
