// What a page of another port of this machine can do with the pages of hindsql web,
// and how a browser moves to the name that only its user knows.
import { createServer } from "node:http";
import { writeFileSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { barriers, check, given, isOurs, runAll, want, written } from "./browser.mjs";

const endless = "SELECT count(*) AS n FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7";
const short = "SELECT 6 * 7 AS answer";
const at = (base, sql, more = "") => `${base}/sql?sql=${encodeURIComponent(sql)}${more}`;
const cookieOf = (request) => request.headers.cookie ?? "";

// elsewhere is a server at another port, and what it was sent.
async function elsewhere() {
  const seen = [], pages = {};
  const server = createServer((request, answer) => {
    const url = new URL(request.url, "http://x");
    seen.push({ path: url.pathname, cookie: cookieOf(request), referer: request.headers.referer ?? "" });
    if (url.pathname === "/to") {
      answer.writeHead(302, { Location: url.searchParams.get("at") });
      return answer.end();
    }
    answer.writeHead(200, { "Content-Type": "text/html" });
    answer.end("<!DOCTYPE html><title>elsewhere</title><body>" + (pages[url.pathname] ?? ""));
  });
  await new Promise((r) => server.listen(0, "127.0.0.1", r));
  return { seen, pages, port: server.address().port, close: () => server.close() };
}

// tries are what its page does with an address of ours, each in a page of its own.
const tries = {
  image: (u) => { document.body.append(Object.assign(new Image(), { src: u })); },
  script: (u) => { document.body.append(Object.assign(document.createElement("script"), { src: u })); },
  style: (u) => { document.body.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: u })); },
  prefetch: (u) => { document.body.append(Object.assign(document.createElement("link"), { rel: "prefetch", href: u })); },
  video: (u) => { document.body.append(Object.assign(document.createElement("video"), { src: u, autoplay: true })); },
  object: (u) => { document.body.append(Object.assign(document.createElement("object"), { data: u })); },
  iframe: (u) => { document.body.append(Object.assign(document.createElement("iframe"), { src: u })); },
  fetch: (u) => fetch(u, { credentials: "include" }).catch(() => {}),
  "opaque fetch": (u) => fetch(u, { mode: "no-cors", credentials: "include" }).catch(() => {}),
  "posted fetch": (u) => fetch(u.split("?")[0], { method: "POST", mode: "no-cors", credentials: "include", body: new URLSearchParams(u.split("?")[1]) }).catch(() => {}),
  beacon: (u) => { navigator.sendBeacon(u.split("?")[0], new URLSearchParams(u.split("?")[1])); },
  events: (u) => { new EventSource(u, { withCredentials: true }); },
  "form in a frame": (u) => {
    document.body.innerHTML = `<iframe name="f"></iframe><form method="post" target="f" action="${u.split("?")[0]}"><input name="sql"></form>`;
    document.forms[0].sql.value = new URLSearchParams(u.split("?")[1]).get("sql");
    document.forms[0].submit();
  },
  "posted form": (u) => {
    document.body.innerHTML = `<form method="post" action="${u.split("?")[0]}"><input name="sql"><input name="_sign" value="guess"></form>`;
    document.forms[0].sql.value = new URLSearchParams(u.split("?")[1]).get("sql");
    document.forms[0].submit();
  },
  form: (u) => {
    document.body.innerHTML = `<form method="get" action="${u.split("?")[0]}"><input name="sql"></form>`;
    document.forms[0].sql.value = new URLSearchParams(u.split("?")[1]).get("sql");
    document.forms[0].submit();
  },
  "redirected image": (u) => { document.body.append(Object.assign(new Image(), { src: "/to?at=" + encodeURIComponent(u) })); },
  link: (u) => { location.href = u; },
  "redirected link": (u) => { location.href = "/to?at=" + encodeURIComponent(u); },
  window: (u) => { window.open(u); },
};
const links = ["form", "link", "redirected link", "window"]; // a whole window goes there

// inside is a context that was let in, with or without the other name.
async function inside(browser, moves) {
  const context = await browser.newContext();
  if (!moves) await context.route((url) => url.hostname.endsWith(".localhost"), (route) => route.abort());
  const page = await context.newPage();
  await page.goto(given.url);
  await page.waitForURL((url) => url.pathname === "/" && url.search === "");
  return { context, page, base: new URL(page.url()).origin };
}

// underneath notes the answers that the browser keeps from the page, too.
async function underneath(context, page, note) {
  const session = await context.newCDPSession(page), urls = new Map();
  session.on("Network.requestWillBeSent", (e) => urls.set(e.requestId, e.request.url));
  session.on("Network.responseReceivedExtraInfo", (e) => note(urls.get(e.requestId) ?? "data:", e.statusCode));
  await session.send("Network.enable");
}

// running are the statements that run.
async function running(page, base) {
  await page.goto(base + "/running");
  return (await page.locator("main").innerText()).includes("Nothing runs") ? 0 : page.locator("main li").count();
}

for (const moves of [false, true]) {
  for (const host of ["127.0.0.1", "localhost", "its name"]) {
    if (host === "its name" && !moves) continue;
    check(`a page of another port, ${moves ? "moved" : "stayed"}, at ${host}`, async (browser, fault) => {
      const { context, page, base } = await inside(browser, moves), other = await elsewhere();
      const from = `http://${host === "its name" ? new URL(base).hostname : host}:${other.port}`;
      const told = {};
      for (const [name, run] of Object.entries(tries)) {
        for (const more of name === "image" || name === "link" ? ["", "&format=csv", "&_show=chart", "&_cell=0.0"] : [""]) {
          const attacker = await context.newPage();
          let heard = false;
          const note = (url, status) => {
            if (!isOurs(url) || new URL(url).pathname !== "/sql" || status === 302) return; // 302 is the other port's
            (told[name] ??= new Set()).add(status);
            heard = true;
          };
          const responses = (r) => note(r.url(), r.status());
          context.on("response", responses);
          await underneath(context, attacker, note);
          attacker.on("dialog", (d) => d.dismiss());
          await attacker.goto(from + "/");
          await attacker.evaluate(`(${run})(${JSON.stringify(at(base, endless, more))})`).catch(() => {});
          for (const end = Date.now() + 4000; Date.now() < end && !heard;) await new Promise((r) => setTimeout(r, 50));
          const n = await running(page, base);
          if (n !== 0) fault(`${name}${more}: ${n} statements run`);
          context.off("response", responses);
          for (const p of context.pages()) if (p !== page) await p.close();
        }
        if (!told[name]) fault(`${name}: nothing was asked of us`);
        for (const s of told[name] ?? []) if (s === 200 ? !links.includes(name) : ![401, 403].includes(s)) fault(`${name}: ${s}`);
      }
      console.log(`${base} from ${from}: ${Object.entries(told).map(([k, v]) => `${k} ${[...v]}`).join(", ")}`);
      const sent = other.seen.map((s) => s.cookie).filter((c) => c.includes("hindsql"));
      console.log(`  the other port was sent our cookie ${sent.length} times of ${other.seen.length}`);
      if (host !== "its name" && moves && sent.length > 0) fault(`the other port got ${sent[0].slice(0, 20)}…`);
      other.close();
      await context.close();
    });
  }
}

check("a link from elsewhere shows the statement, and its button runs it", async (browser, fault) => {
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ javaScriptEnabled });
    await context.route((url) => url.hostname.endsWith(".localhost"), (route) => route.abort());
    const page = await context.newPage(), other = await elsewhere();
    await page.goto(given.url);
    await page.waitForURL((url) => url.pathname === "/" && url.search === "");
    other.pages["/"] = `<a href="${at(written, short)}">go</a>`;
    await page.goto(`http://127.0.0.1:${other.port}/`);
    await page.getByText("go").click();
    const before = await page.locator("main").innerText();
    if (!before.includes("6 * 7") || before.includes("42") || !before.includes("A page of another address led here")) fault(`before: ${before}`);
    if (javaScriptEnabled) for (const b of await barriers(page)) fault(b);
    await page.getByRole("button", { name: "Run" }).click();
    await page.waitForURL((url) => url.search !== "" && url.pathname === "/sql");
    await page.locator("#result-title").waitFor();
    const after = await page.locator("main").innerText();
    if (!after.includes("42")) fault(`after: ${after}`);
    want(new URL(page.url()).searchParams.get("sql") === short && !page.url().includes("_sign"), `the address is ${page.url()}`);
    other.close();
    await context.close();
  }
});

// arrives has a browser go in, and tells what stayed behind.
async function arrives(browser, goal, how, fault) {
  const context = await browser.newContext(how.options ?? {});
  if (how.nameless) await context.route((url) => url.hostname.endsWith(".localhost"), (route) => route.abort());
  const page = await context.newPage(), at = [], referers = [], sent = [];
  page.on("framenavigated", (f) => { if (f === page.mainFrame()) at.push(f.url()); });
  page.on("console", (m) => { if (m.type() === "error" && !how.nameless) fault(`console: ${m.text()}`); });
  page.on("request", async (r) => {
    sent.push(r.url());
    const headers = await r.allHeaders().catch(() => ({}));
    if (headers.referer) referers.push(headers.referer);
  });
  await page.goto("about:blank");
  const began = Date.now();
  await page.goto(how.from ?? given.url);
  await page.waitForURL((url) => url.pathname === "/" && url.search === "");
  console.log(`${goal}: ${page.url()} after ${Date.now() - began} ms, by ${at.slice(1).join(" ")}`);
  want((await page.locator("h1").innerText()).includes("At a glance"), await page.content());
  for (const url of at) if (url !== how.from && /token|ticket/.test(url)) fault(`the address was ${url}`);
  for (const r of referers) if (/token|ticket/.test(r)) fault(`a Referer: ${r}`);
  const entries = await page.evaluate("history.length").catch(() => 0);
  if (entries > 2) fault(`${entries} entries in the history`);
  const cookies = await context.cookies();
  for (const c of cookies) if (c.domain !== new URL(page.url()).hostname && c.path === "/") fault(`a cookie of ${c.domain}`);
  want(cookies.some((c) => c.domain === new URL(page.url()).hostname && c.httpOnly && c.sameSite === "Strict"), JSON.stringify(cookies.map((c) => c.domain + c.path)));
  // What was used is used up.
  for (const url of sent.filter((u) => u.includes("ticket="))) {
    const again = await context.newPage();
    const answer = await again.goto(url);
    if (answer.status() !== 403) fault(`the ticket once more: ${answer.status()}`);
    await again.close();
  }
  await page.reload();
  want((await page.locator("h1").innerText()).includes("At a glance"), "after reload");
  const url = page.url();
  await context.close();
  return url;
}

check("a browser moves to the name", async (browser, fault) => {
  const url = await arrives(browser, "typed", {}, fault);
  want(isOurs(url) && new URL(url).hostname.endsWith(".localhost"), url);
  const again = await arrives(browser, "typed again", {}, fault);
  want(again === url, `${again} after ${url}`);
  const file = join(tmpdir(), `hindsql-foreign-${process.pid}.html`);
  writeFileSync(file, `<!DOCTYPE html><meta http-equiv="refresh" content="0; url=${given.url}">`);
  try {
    want((await arrives(browser, "a file", { from: "file://" + file }, fault)) === url, "by a file it arrives elsewhere");
  } finally {
    unlinkSync(file);
  }
});

check("a browser that knows no such name stays", async (browser, fault) => {
  want((await arrives(browser, "nameless", { nameless: true }, fault)) === written + "/", "it is elsewhere");
  want((await arrives(browser, "without script", { options: { javaScriptEnabled: false } }, fault)) === written + "/", "it is elsewhere");
});

await runAll();
