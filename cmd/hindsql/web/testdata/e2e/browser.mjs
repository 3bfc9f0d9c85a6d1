// A browser that notes whatever a page does that it should not: messages in its
// console, requests to elsewhere, breaches of its policy, dialogs, answers that fail.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.cwd() + "/");
const { chromium } = require("playwright-core");
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

// The last argument says where the server is and what the test has made.
export const given = JSON.parse(process.argv[2]);
// The address that was written, and the one at which the last visitor is.
export const written = new URL(given.url).origin;
export let origin = written;

export async function launch() {
  return chromium.launch({ executablePath: given.browser, args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"] });
}

// isOurs tells an address of the server, under one of its two names.
export function isOurs(address) {
  const url = new URL(address);
  return url.protocol === "http:" && url.port === new URL(written).port && (url.origin === written || /^[a-z2-7]{26}\.localhost$/.test(url.hostname));
}

// visitor is a browser's context that was let in.
export async function visitor(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: "reduce", timezoneId: "UTC", ...options });
  const faults = [];
  const expected = []; // patterns of console messages that a check brings about
  await context.route("**", (route) => {
    const url = new URL(route.request().url());
    if (!isOurs(url.href) && url.protocol !== "data:") {
      faults.push(`a request to ${url.href.slice(0, 200)}`);
      return route.abort();
    }
    return route.continue();
  });
  await context.addInitScript(() => {
    window.breaches = [];
    document.addEventListener("securitypolicyviolation", (e) => window.breaches.push(`${e.violatedDirective} ${e.blockedURI} ${e.sample}`));
  });
  const watch = (page) => {
    page.on("console", (m) => {
      const text = `${m.text()} (${m.location()?.url?.slice(0, 120)})`;
      if (["error", "warning"].includes(m.type()) && !page.quiet && !expected.some((p) => p.test(text))) faults.push(`console: ${text.slice(0, 300)}`);
    });
    page.on("pageerror", (e) => faults.push(`error: ${e.message} at ${page.url().slice(0, 120)}`));
    page.on("dialog", (d) => { faults.push(`dialog: ${d.message()}`); d.dismiss(); });
    page.on("response", (r) => { if (r.status() >= 500) faults.push(`${r.status()} ${r.url().slice(0, 200)}`); });
    page.on("popup", (p) => faults.push(`popup: ${p.url().slice(0, 200)}`));
    return page;
  };
  const first = watch(await context.newPage());
  await first.goto(given.url);
  await first.waitForURL((url) => url.pathname === "/" && url.search === "");
  origin = new URL(first.url()).origin;
  return {
    context, faults, expected,
    first,
    async page() { return watch(await context.newPage()); },
    close: () => context.close(),
  };
}

// open goes to a path of the server's and wants an answer that is well.
export async function open(page, path, status = 200) {
  const answer = await page.goto(origin + path, { waitUntil: "load" });
  if (!answer) return null; // the same page, another place in it
  if (answer.status() !== status) throw new Error(`${path}: ${answer.status()}`);
  return answer;
}

// breaches are those of the page's policy.
export const breaches = (page) => page.evaluate(() => window.breaches ?? []);

// barriers are what axe finds: one line for a rule and an element.
export async function barriers(page) {
  page.quiet = true;
  try {
    await page.evaluate(axeSource);
    const found = await page.evaluate(() => window.axe.run(document, {
      preload: false, resultTypes: ["violations"],
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }));
    return found.violations.flatMap((v) => v.nodes.slice(0, 3).map((n) => `${v.id} (${v.impact}): ${n.target.join(" ").slice(0, 120)}: ${(n.any[0] ?? n.all[0] ?? n.none[0])?.message?.slice(0, 200) ?? v.help}: ${n.html.slice(0, 160)}`));
  } finally {
    page.quiet = false;
  }
}

// sideways is how far the page scrolls sideways, and what sticks out.
export const sideways = (page) => page.evaluate(() => {
  const root = document.documentElement, by = root.scrollWidth - window.innerWidth;
  if (by <= 0) return "";
  const out = [...document.querySelectorAll("main *, header *, footer *")].filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1)
    .slice(0, 4).map((e) => `<${e.tagName.toLowerCase()} class="${e.getAttribute("class") ?? ""}" id="${e.id}">`);
  return `${by} px wider than the window: ${out.join(" ")}`;
});

// Each check is told of in a line of JSON.
const checks = [];
export const check = (name, run) => checks.push({ name, run });
export function want(ok, why) {
  if (!ok) throw new Error(why);
}

export async function runAll() {
  if (given.list) return console.log(JSON.stringify(checks.map((c) => c.name)));
  const browser = await launch();
  for (const { name, run } of checks) {
    if (given.only && !given.only.includes(name)) continue;
    const began = Date.now(), wrong = [];
    try {
      await run(browser, (why) => wrong.push(String(why)));
    } catch (e) {
      wrong.push(e.stack?.split("\n").slice(0, 6).join("\n") ?? String(e));
    }
    console.log(JSON.stringify({ name, wrong, ms: Date.now() - began }));
  }
  await browser.close();
}
