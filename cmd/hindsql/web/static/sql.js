// The field of typed SQL: Ctrl-Enter runs, words complete, an error puts the cursor
// at its place, and a statement that runs can be cancelled while the page stays.
// It stays a textarea: an editor from elsewhere (CodeMirror 6 is 300 KB in 20
// packages that a bundler joins) would bring colours, and take a build step, styles
// in the page, and the browser's own undo, search and spelling from whoever types.
import { hang } from "./caret.js";
import { past } from "./past.js";

const usual = "Ctrl-Enter runs, Ctrl-Space completes, Alt-↑ is the statement before";
const form = document.getElementById("sqlform");
if (form) enhance(form, form.elements.sql);

function enhance(form, text) {
  const note = past(form, text);
  const keys = document.getElementById("sqlkeys");
  keys.textContent = usual;
  const go = form.querySelector(".go");
  const stop = document.createElement("button");
  stop.type = "button";
  stop.textContent = "Cancel";
  stop.hidden = true;
  go.after(stop);

  let asked = null; // what ends the request of the statement that runs
  stop.addEventListener("click", () => asked?.abort());
  form.addEventListener("submit", async (event) => {
    if (form.method === "post") return; // this browser doesn't say who asks: the form does
    event.preventDefault();
    asked?.abort();
    const mine = asked = new AbortController();
    const address = "/sql?" + new URLSearchParams(new FormData(form));
    busy(true);
    try {
      const answer = await fetch(address, { signal: mine.signal, credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (asked !== mine) return;
      if (!page.getElementById("out") || page.querySelector(".args [name]") || form.querySelector(".args")) {
        location.assign(address); // the page has other fields
        return;
      }
      if (address !== location.pathname + location.search) history.pushState(null, "", address);
      take(page);
    } catch {
      if (asked === mine) say(mine.signal.aborted ? "The statement was cancelled." : "The server didn’t answer.");
    }
    if (asked === mine) {
      asked = null;
      busy(false);
    }
  });
  window.addEventListener("popstate", () => location.reload());

  function busy(on) {
    stop.hidden = !on;
    document.body.classList.toggle("busy", on);
    document.getElementById("out").setAttribute("aria-busy", on);
    if (on) say("");
    keys.textContent = on ? "Running …" : usual;
  }
  function say(what) {
    const out = document.getElementById("out");
    out.querySelector(".fault")?.remove();
    if (!what) return;
    const box = document.createElement("div");
    box.className = "fault";
    box.setAttribute("role", "alert");
    box.textContent = what;
    out.prepend(box);
  }
  function take(page) {
    document.getElementById("out").replaceWith(document.adoptNode(page.getElementById("out")));
    const out = document.getElementById("out");
    text.toggleAttribute("aria-invalid", !!out.querySelector(".fault"));
    const title = document.getElementById("result-title"), told = document.getElementById("news");
    if (told && title) told.textContent = title.textContent;
    note(text.value);
    toPlace(text);
  }
  if (document.querySelector("#out > :is(.result, .fault)")) note(text.value);
  toPlace(text);
  complete(text, () => form.requestSubmit());
}

// toPlace puts the cursor where the error is.
function toPlace(text) {
  const fault = document.querySelector("#out .fault[data-line]");
  if (!fault) return;
  const lines = text.value.split("\n");
  const line = Number(fault.dataset.line) - 1, column = Number(fault.dataset.column);
  if (!(line in lines)) return;
  let at = lines.slice(0, line).reduce((n, l) => n + l.length + 1, 0);
  at += [...lines[line]].slice(0, Math.max(0, column - 1)).join("").length; // columns count characters
  text.focus();
  text.setSelectionRange(at, at);
}

// complete shows the words that may stand at the cursor in a list below the word.
// The field keeps its keys while no list is open: Tab leaves it.
function complete(text, run) {
  const list = document.createElement("ul");
  list.className = "words";
  list.id = "words";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Words that may stand here");
  list.hidden = true;
  text.after(list);
  text.setAttribute("aria-haspopup", "listbox");
  text.setAttribute("aria-autocomplete", "list");
  text.setAttribute("aria-controls", list.id);
  let start = 0, chosen = -1, timer = 0, asked = null;

  const close = () => {
    clearTimeout(timer);
    asked?.abort();
    list.hidden = true;
    text.removeAttribute("aria-activedescendant");
  };
  const choose = (n) => {
    list.children[chosen]?.setAttribute("aria-selected", "false");
    chosen = (n + list.children.length) % list.children.length;
    const one = list.children[chosen];
    one.setAttribute("aria-selected", "true");
    one.scrollIntoView({ block: "nearest" });
    text.setAttribute("aria-activedescendant", one.id);
  };
  const take = (n) => {
    const word = list.children[n].textContent;
    close();
    text.setSelectionRange(start, text.selectionEnd);
    if (!document.execCommand("insertText", false, word)) text.setRangeText(word, start, text.selectionEnd, "end"); // the first keeps undo
    close();
  };
  const ask = async () => {
    asked?.abort();
    const mine = asked = new AbortController(), at = text.selectionStart;
    let found;
    try {
      const given = new URLSearchParams({ sql: text.value, at }), sign = text.form.elements._sign, how = { signal: mine.signal, credentials: "same-origin" };
      if (sign) given.set("_sign", sign.value);
      const answer = await (sign ? fetch("/complete", { ...how, method: "POST", body: given }) : fetch("/complete?" + given, how));
      found = answer.ok ? await answer.json() : null;
    } catch {
      return;
    }
    if (asked !== mine || !found || at !== text.selectionStart || document.activeElement !== text) return;
    const typed = text.value.slice(found.start, at).toLowerCase();
    const words = found.words.filter((w) => w.trim().toLowerCase() !== typed);
    if (words.length === 0) return close();
    start = found.start;
    list.replaceChildren(...words.map((word, i) => {
      const one = document.createElement("li");
      one.id = "word-" + i;
      one.setAttribute("role", "option");
      one.setAttribute("aria-selected", "false");
      one.textContent = word;
      return one;
    }));
    chosen = -1;
    list.hidden = false;
    hang(list, text, start);
    choose(0);
  };

  text.addEventListener("input", () => {
    clearTimeout(timer);
    const before = text.value.slice(0, text.selectionStart);
    if (text.selectionStart !== text.selectionEnd || !/[\p{L}\d_]{2}$|[\p{L}\d_"]\.$/u.test(before)) return close();
    timer = setTimeout(ask, 120);
  });
  text.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const open = !list.hidden;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      close();
      run();
    } else if (event.key === " " && event.ctrlKey) {
      ask();
    } else if (open && event.key === "Escape") {
      close();
    } else if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (open && (event.key === "Enter" || event.key === "Tab") && !event.shiftKey) {
      take(chosen);
    } else {
      if (open && ["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) close();
      return;
    }
    event.preventDefault();
  });
  list.addEventListener("mousedown", (event) => {
    event.preventDefault(); // the field keeps the focus
    const one = event.target.closest("li");
    if (one) take([...list.children].indexOf(one));
  });
  text.addEventListener("blur", close);
  text.addEventListener("mousedown", close);
  text.addEventListener("scroll", () => list.hidden || hang(list, text, start));
  window.addEventListener("resize", close);
}
