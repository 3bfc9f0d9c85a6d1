// An open page follows the logs: when the server tells of a change, the page asks
// for itself again, and takes over what differs. Parts that change have the
// attribute data-live and an id; of a list with data-live="append", entries that
// are new are added at its end, each by its id.
const seen = new Map(); // by id: the part as the server last gave it
const pause = 1500; // ms between two looks, however often the logs change

if (document.body.hasAttribute("data-live") && "EventSource" in window) follow();

function follow() {
  for (const part of document.querySelectorAll("[data-live][id]")) seen.set(part.id, part.outerHTML);
  let due = false, last = 0, timer = 0;
  const look = async () => {
    timer = 0;
    if (document.hidden) return;
    due = false;
    last = Date.now();
    await refresh();
  };
  const soon = () => {
    due = true;
    if (!timer) timer = setTimeout(look, Math.max(0, last + pause - Date.now()));
  };
  const events = new EventSource("/live");
  events.addEventListener("change", soon);
  document.addEventListener("visibilitychange", () => { if (!document.hidden && due) soon(); });
  window.addEventListener("pagehide", () => events.close());
}

async function refresh() {
  let text;
  try {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (!answer.ok) return;
    text = await answer.text();
  } catch {
    return; // the server is gone, or comes back
  }
  const now = new DOMParser().parseFromString(text, "text/html");
  if (document.getElementById("nologs") && !now.getElementById("nologs")) return location.reload(); // the first log has come
  const atEnd = window.innerHeight + window.scrollY >= document.body.scrollHeight - 4;
  let news = 0;
  for (const part of now.querySelectorAll("[data-live][id]")) news += takeOver(part);
  if (news === 0) return;
  if (atEnd && document.querySelector('[data-live="append"]')) window.scrollTo(0, document.body.scrollHeight);
  const told = document.getElementById("news");
  if (told) told.textContent = "The page was brought up to date.";
  document.dispatchEvent(new Event("hindsql:news"));
}

// takeOver puts a part of the new page in its place; 1 when anything changed.
function takeOver(part) {
  const old = document.getElementById(part.id);
  if (!old || seen.get(part.id) === part.outerHTML) return 0;
  if (part.dataset.live === "append") {
    seen.set(part.id, part.outerHTML);
    return append(old, part);
  }
  if (old.contains(document.activeElement)) return 0; // the next look brings it
  seen.set(part.id, part.outerHTML);
  keepOpen(old, part);
  old.replaceWith(document.adoptNode(part));
  return part.id === "synced" ? 0 : 1;
}

function append(list, part) {
  let news = 0;
  for (const entry of [...part.children]) {
    const old = entry.id && document.getElementById(entry.id);
    if (old && old.outerHTML === entry.outerHTML) continue;
    if (old && old.contains(document.activeElement)) continue;
    if (old) {
      keepOpen(old, entry);
      old.replaceWith(document.adoptNode(entry));
    } else {
      list.append(document.adoptNode(entry));
    }
    news = 1;
  }
  return news;
}

// keepOpen leaves open what the reader opened.
function keepOpen(old, part) {
  const before = old.querySelectorAll("details"), after = part.querySelectorAll("details");
  after.forEach((d, i) => { if (before[i]?.open) d.open = true; });
}
