// What makes pages handier. Each module looks for what it works on, and does
// nothing on pages without it. Nothing here is needed to read a page.
import "./session.js";
import "./live.js";
import "./sql.js";
import "./copy.js";
import "./year.js";

// The slash goes to the search; in a session to that of the session, as session.js has it.
const search = document.getElementById("seek");
if (search && !document.getElementById("pieces")) document.addEventListener("keydown", (e) => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select, [contenteditable]")) return;
  e.preventDefault();
  search.focus();
});
