// What makes pages handier. Each module looks for what it works on, and does
// nothing on pages without it. Nothing here is needed to read a page.
import "./session.js";
import "./live.js";
import "./sql.js";
import "./copy.js";
