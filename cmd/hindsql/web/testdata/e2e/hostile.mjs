// Pages of hostile logs, as a browser takes them: nothing of the logs runs, loads or
// comes to be an element.
import { breaches, check, given, open, origin, runAll, visitor } from "./browser.mjs";

const most = 12; // pages of a kind
const kind = (path) => path.replace(/\?.*/, "").split("/")[1] + Object.keys(Object.fromEntries(new URL(origin + path).searchParams)).sort().join("&");

check("hostile logs stay text", async (browser, fault) => {
  const v = await visitor(browser), page = v.first;
  await v.context.addInitScript((mark) => { window[mark] = (what) => { (window.ran ??= []).push(String(what)); }; }, given.mark);
  const queue = ["/"], known = new Set(queue), seen = {};
  let looked = 0;
  while (queue.length > 0) {
    const path = queue.shift(), k = kind(path);
    if ((seen[k] = (seen[k] ?? 0) + 1) > most) continue;
    const answer = await open(page, path).catch((e) => fault(`${path.slice(0, 200)}: ${e.message.slice(0, 200)}`));
    if (!answer || !(answer.headers()["content-type"] ?? "").startsWith("text/html")) continue;
    looked++;
    for (const b of await breaches(page)) fault(`${path.slice(0, 200)}: policy: ${b}`);
    const found = await page.evaluate((mark) => ({
      ran: window.ran ?? [],
      elements: [...document.querySelectorAll("*")].filter((e) => e.tagName.toLowerCase().includes(mark) || [...e.attributes].some((a) => /^on|^style$/i.test(a.name) || a.name.includes(mark)))
        .map((e) => e.outerHTML.slice(0, 200)),
      scripts: [...document.scripts].filter((s) => !s.src.startsWith(location.origin + "/") || s.textContent).map((s) => s.outerHTML.slice(0, 200)),
      links: [...document.querySelectorAll("a[href]")].map((a) => a.getAttribute("href")),
      odd: [...document.querySelectorAll("a[href]")].filter((a) => !["http:", "https:", "mailto:"].includes(URL.parse(a.getAttribute("href"), document.baseURI)?.protocol)).map((a) => a.outerHTML.slice(0, 200)),
    }), given.mark);
    for (const what of ["ran", "elements", "scripts", "odd"]) for (const one of found[what]) fault(`${path.slice(0, 200)}: ${what}: ${one}`);
    // What is folded is opened too, and what has a key is pressed.
    await page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
    for (const key of ["j", "j", "k", "?", "Escape", "/"]) await page.keyboard.press(key);
    for (const href of found.links) {
      if (!href.startsWith("/") && !href.startsWith("?")) continue;
      const u = new URL(href, origin + path);
      const next = u.pathname + u.search;
      // What is saved rather than shown ends a visit; the walk in Go reads those.
      if (u.origin !== origin || known.has(next) || /\.(csv|json|ndjson|parquet)(\?|$)|format=|^\/live/.test(next)) continue;
      known.add(next);
      queue.push(next);
    }
  }
  if (looked < 30) fault(`only ${looked} pages were looked at: ${JSON.stringify(seen)}`);
  v.faults.forEach(fault);
  await v.close();
});

await runAll();
