// Arrow keys in the year of days: up and down go a day with messages back or on, left
// and right a week. The tab key stops at one day only.
const day = 24 * 60 * 60 * 1000;
const moves = { ArrowUp: -day, ArrowDown: day, ArrowLeft: -7 * day, ArrowRight: 7 * day, Home: -Infinity, End: Infinity };

document.addEventListener("keydown", (e) => {
  const here = e.target.closest?.(".year a"), by = moves[e.key];
  if (!here || !by || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  const at = (a) => Date.parse(new URL(a.href).searchParams.get("during"));
  const days = [...here.closest(".year").querySelectorAll("a")].sort((a, b) => at(a) - at(b));
  const wanted = at(here) + by;
  const next = by > 0 ? days.find((a) => at(a) >= wanted) ?? days.at(-1) : days.findLast((a) => at(a) <= wanted) ?? days[0];
  here.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});
