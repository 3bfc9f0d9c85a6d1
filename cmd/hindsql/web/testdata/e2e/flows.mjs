// What one does with the pages, with a mouse and without.
import { appendFileSync } from "node:fs";
import { barriers, check, given, open, origin, visitor, want } from "./browser.mjs";

const ever = "since=2026-01-01";
const endless = "SELECT count(*) AS n FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7";
const counts = "SELECT kind, count(*) AS n FROM messages GROUP BY kind ORDER BY n DESC";

// until waits for something to be so.
async function until(what, is, ms = 15000) {
  for (const end = Date.now() + ms; Date.now() < end; await new Promise((r) => setTimeout(r, 100))) if (await is()) return;
  throw new Error(`${what}: not within ${ms} ms`);
}

// ends has a visitor go, and tells what the pages did that they should not.
async function ends(v, fault) {
  v.faults.forEach(fault);
  await v.close();
}

const mainText = (page) => page.locator("main").innerText();

check("a session of 5,000 messages", async (browser, fault) => {
  const v = await visitor(browser), page = v.first;
  await open(page, given.long); // what is first read is read from the disk
  const took = [];
  for (let i = 0; i < 5; i++) {
    const began = Date.now();
    await open(page, given.long);
    took.push(Date.now() - began);
  }
  took.sort((a, b) => a - b);
  console.log(`a page of it opens in ${took} ms`); // on a quiet machine in well under a second
  // Links lead through its pages from the beginning to the end.
  let pages = 1;
  for (; pages < 100; pages++) {
    const next = page.locator('main a[rel~="next"]').first();
    if ((await next.count()) === 0) break;
    await open(page, await next.getAttribute("href").then((h) => new URL(h, page.url())).then((u) => u.pathname + u.search));
  }
  want(pages > 5 && pages < 100, `${pages} pages`);
  want((await mainText(page)).includes("Prompt 2047"), `the last of ${pages} pages has no last prompt`);
  // A link to a message in its middle shows it.
  await open(page, given.long + "?from=2600#m2600");
  const box = await page.locator("#m2600").boundingBox();
  want(box && box.y > -50 && box.y < 900, `message 2600 is at ${JSON.stringify(box)}`);
  await ends(v, fault);
});

check("filters of refusals", async (browser, fault) => {
  const v = await visitor(browser, { javaScriptEnabled: false }), page = v.first;
  v.expected.push(/400/);
  await open(page, `/refusals?${ever}`);
  const refusals = () => page.locator('main a[href^="/refusal/"]').evaluateAll((all) => new Set(all.map((a) => a.getAttribute("href"))).size);
  const all = await refusals();
  want(all > 10, `only ${all} refusals`);
  const field = page.locator('main [name="text"]').first();
  await field.fill("DATABASE_URL");
  await Promise.all([page.waitForNavigation(), field.press("Enter")]);
  want(new URL(page.url()).searchParams.get("text") === "DATABASE_URL", page.url());
  want(new URL(page.url()).searchParams.get("since") === "2026-01-01", `the range is gone: ${page.url()}`);
  const some = await refusals();
  want(some > 0 && some < all, `${some} of ${all} refusals`);
  want((await page.locator('main [name="text"]').first().inputValue()) === "DATABASE_URL", "the field forgot what it was given");
  for (const [name, value] of [["agent", "codex"], ["tool", "Edit"], ["decided_by", "rule"], ["project", "shop-api"]]) {
    await open(page, `/refusals?${ever}&${name}=${value}`);
    const n = await refusals();
    want(n > 0 && n <= all, `${name}=${value}: ${n} of ${all} refusals`);
  }
  await open(page, `/refusals?since=nonsense`, 400);
  want((await mainText(page)).includes("nonsense"), "a wrong moment isn't told");
  await ends(v, fault);
});

check("paging of refusals", async (browser, fault) => {
  const v = await visitor(browser), page = v.first, seen = new Set();
  await open(page, `/refusals?${ever}`);
  let pages = 1;
  for (; pages < 50; pages++) {
    for (const href of await page.locator('main a[href^="/refusal/"]').evaluateAll((all) => [...new Set(all.map((a) => a.getAttribute("href").split("#")[0]))])) {
      if (seen.has(href)) fault(`${href} is on two pages`);
      seen.add(href);
    }
    const next = page.locator('main a[rel~="next"]').first();
    if ((await next.count()) === 0) break;
    await Promise.all([page.waitForNavigation(), next.click()]);
  }
  want(pages > 1 && pages < 50, `${pages} pages with ${seen.size} refusals`);
  await ends(v, fault);
});

check("a long statement is cancelled from another page", async (browser, fault) => {
  for (const javaScriptEnabled of [false, true]) {
    const v = await visitor(browser, { javaScriptEnabled }), page = v.first, other = await v.page();
    v.expected.push(/503|400/);
    const runs = page.goto(`${origin}/sql?sql=${encodeURIComponent(endless)}`, { timeout: 60000 });
    await until("the statement is listed", async () => {
      await open(other, "/running");
      return (await mainText(other)).includes("range(1000000)");
    });
    const began = Date.now();
    await Promise.all([other.waitForNavigation(), other.getByRole("button", { name: /cancel/i }).first().click()]);
    await runs;
    if (Date.now() - began > 5000) fault(`it ended after ${Date.now() - began} ms`);
    want(/cancel/i.test(await mainText(page)), `its page says ${(await mainText(page)).slice(0, 300)}`);
    await open(other, "/running");
    want(!(await mainText(other)).includes("range(1000000)"), "it is still listed");
    v.faults.splice(0, v.faults.length, ...v.faults.filter((f) => !/^503/.test(f)));
    await ends(v, fault);
  }
});

check("a long statement is cancelled on its page", async (browser, fault) => {
  const v = await visitor(browser), page = v.first, other = await v.page();
  await open(page, "/sql");
  await page.locator("#sql").fill(endless);
  await page.keyboard.press("Control+Enter");
  const cancel = page.getByRole("button", { name: /cancel/i });
  await cancel.waitFor({ state: "visible" });
  await page.waitForTimeout(1000);
  await cancel.click();
  await until("the page says so", async () => /cancel/i.test(await page.locator("#out").innerText()));
  await until("it is over", async () => {
    await open(other, "/running");
    return !(await mainText(other)).includes("range(1000000)");
  });
  await ends(v, fault);
});

check("an open page follows a log", async (browser, fault) => {
  const v = await visitor(browser), page = v.first;
  const home = await v.page();
  await open(home, "/");
  await open(page, "/session/claude/90000000-0000-4000-8000-000000000009");
  const before = await mainText(home);
  want(!(await mainText(page)).includes("GROWN"), "it is there before");
  await page.bringToFront();
  await page.waitForTimeout(3000);
  appendFileSync(given.log, given.grow);
  const began = Date.now();
  await until("the open session shows the line", async () => (await mainText(page)).includes("GROWN"));
  const took = Date.now() - began;
  console.log(`the line was shown after ${took} ms`);
  if (took > 8000) fault(`only after ${took} ms`);
  await home.bringToFront();
  await until("the open home counts it", async () => (await mainText(home)) !== before);
  await ends(v, fault);
});

// tabTo presses Tab until what has the focus is wanted.
async function tabTo(page, what, is, most = 80) {
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    const on = await page.evaluate(() => {
      const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
      return { text: (e.getAttribute("aria-label") ?? e.innerText ?? e.value ?? "").trim(), href: e.getAttribute("href"), id: e.id, name: e.getAttribute("name"), tag: e.tagName,
        seen: box.width > 0 && box.height > 0 && (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none") };
    });
    if (on.tag === "BODY") continue;
    if (!on.seen) throw new Error(`the focus is not seen on ${JSON.stringify(on).slice(0, 200)}`);
    if (is(on)) return on;
  }
  throw new Error(`${most} Tabs don't lead to ${what}`);
}

check("keyboard: from home to a refusal and its SQL", async (browser, fault) => {
  const v = await visitor(browser), page = v.first;
  await v.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  await open(page, "/");
  const first = await tabTo(page, "the link past the navigation", () => true, 1);
  want(/skip/i.test(first.text), `the first stop is ${first.text}`);
  await tabTo(page, "Refusals", (on) => on.href === "/refusals");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  await tabTo(page, "the link past the navigation", (on) => on.href === "#main");
  await page.keyboard.press("Enter");
  want(await page.evaluate(() => document.activeElement.id === "main"), "the skip link leads not to main");
  await tabTo(page, "a refusal", (on) => on.href?.startsWith("/refusal/"));
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  want(page.url().includes("/refusal/"), page.url());
  await tabTo(page, "Copy its SQL", (on) => /copy.*sql/i.test(on.text));
  await page.keyboard.press("Enter");
  await until("the clipboard has SQL", async () => /\bSELECT\b|\bFROM\b/.test(await page.evaluate(() => navigator.clipboard.readText())), 5000);
  const sql = await page.evaluate(() => navigator.clipboard.readText());
  await open(page, "/sql");
  await tabTo(page, "the field", (on) => on.id === "sql");
  await page.keyboard.insertText(sql);
  await page.keyboard.press("Control+Enter");
  await until("its rows", async () => (await page.locator("#out table tbody tr").count()) === 1);
  await ends(v, fault);
});

check("keyboard: the year of days", async (browser, fault) => {
  const v = await visitor(browser), page = v.first;
  await open(page, "/");
  const stops = await page.locator('.year a:not([tabindex="-1"])').count(), days = await page.locator(".year a").count();
  want(stops === 1 && days > 30, `the tab key stops at ${stops} of ${days} days`);
  const isDay = (on) => /during=\d{4}-\d\d-\d\d$/.test(on.href ?? "");
  const first = await tabTo(page, "a day", isDay);
  const at = () => page.evaluate(() => new URL(document.activeElement.href).searchParams.get("during"));
  const newest = await at();
  await page.keyboard.press("ArrowUp");
  const before = await at();
  await page.keyboard.press("ArrowLeft");
  const week = await at();
  want(week < before && before < newest, `${newest}, up ${before}, left ${week}, from ${first.href}`);
  await page.keyboard.press("End");
  want(await at() === newest, `End goes to ${await at()}, not ${newest}`);
  await page.keyboard.press("ArrowUp");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  want(page.url().endsWith(`during=${before}`), page.url());
  want(await page.locator('.year a[aria-current="date"]').count() === 1, "the day is not marked");
  await page.locator(".year a").first().click();
  await page.waitForURL((url) => url.searchParams.get("during") !== before);
  await ends(v, fault);
});

check("keyboard: SQL", async (browser, fault) => {
  const v = await visitor(browser), page = v.first;
  v.expected.push(/400/);
  await open(page, "/sql");
  await tabTo(page, "the field", (on) => on.id === "sql");
  // Ctrl-Enter runs.
  await page.keyboard.insertText(counts);
  await page.keyboard.press("Control+Enter");
  await until("rows", async () => (await page.locator("#out table tbody tr").count()) > 2);
  want(new URL(page.url()).searchParams.get("sql") === counts, `the URL is ${page.url()}`);
  // Words complete.
  await page.locator("#sql").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("SELECT * FROM compac", { delay: 30 });
  const options = page.locator('[role="listbox"] [role="option"]');
  await options.first().waitFor({ state: "visible", timeout: 5000 });
  want((await options.first().innerText()).includes("compactions"), `the first word is ${await options.first().innerText()}`);
  const [field, words] = [await page.locator("#sql").boundingBox(), await page.locator('[role="listbox"]').boundingBox()];
  want(words.y < field.y + 60 && words.x > field.x + 60, `the list is at ${words.x}, ${words.y}, the field at ${field.x}, ${field.y}`);
  for (const b of await barriers(page)) fault(`with open list: ${b}`);
  await page.keyboard.press("Enter");
  want((await page.locator("#sql").inputValue()).trim() === "SELECT * FROM compactions", await page.locator("#sql").inputValue());
  await page.keyboard.press("Control+Enter");
  await until("rows of compactions", async () => (await page.locator("#out").innerText()).includes("summary"));
  // An error has its place.
  await page.locator("#sql").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText("SELECT session_id,\n       nonsense\nFROM sessions");
  await page.keyboard.press("Control+Enter");
  await until("the error", async () => (await page.locator("#out").innerText()).includes("nonsense"));
  await until("the cursor is at the place", () => page.evaluate(() => {
    const t = document.getElementById("sql");
    return document.activeElement === t && t.selectionStart === t.value.indexOf("nonsense");
  }), 5000);
  for (const b of await barriers(page)) fault(`with an error: ${b}`);
  // Tab leaves the field.
  await page.keyboard.press("Tab");
  want(await page.evaluate(() => document.activeElement.id !== "sql"), "Tab stays in the field");
  await ends(v, fault);
});

check("SQL: completion hangs at the word", async (browser, fault) => {
  for (const width of [400, 1200]) {
    const v = await visitor(browser, { viewport: { width, height: 900 } }), page = v.first;
    await open(page, "/sql");
    const boxAfter = async (before) => {
      await page.locator("#sql").focus();
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText(before);
      await page.keyboard.type("compact", { delay: 30 });
      const list = page.locator('[role="listbox"]');
      await list.waitFor({ state: "visible", timeout: 8000 });
      const box = await list.boundingBox();
      await page.keyboard.press("Escape");
      await list.waitFor({ state: "hidden", timeout: 2000 });
      return box;
    };
    const first = await boxAfter("FROM "), third = await boxAfter("SELECT *\n\nFROM      "), field = await page.locator("#sql").boundingBox();
    const letter = (third.x - first.x) / 5, line = (third.y - first.y) / 2;
    want(letter > 5 && letter < 12, `at ${width} px, a letter is ${letter} px wide`);
    want(line > 15 && line < 30, `at ${width} px, a line is ${line} px high`);
    want(Math.abs(first.x - field.x - 13 - 5 * letter) < 3, `at ${width} px, the list begins at ${first.x - field.x} px, not at the sixth letter`);
    want(first.y > field.y + line && first.y < field.y + 2.5 * line, `at ${width} px, the list is ${first.y - field.y} px under the field's top`);
    // A click elsewhere in the text closes it, and so does another line.
    await page.keyboard.type("i", { delay: 30 });
    await page.locator('[role="listbox"]').waitFor({ state: "visible", timeout: 8000 });
    await page.locator("#sql").click({ position: { x: 20, y: 20 } });
    want(await page.locator('[role="listbox"]').isHidden(), "the list stays where the cursor was");
    await ends(v, fault);
  }
});

check("SQL: history", async (browser, fault) => {
  const v = await visitor(browser), page = v.first, other = "SELECT 6 * 7 AS answer";
  await open(page, "/sql");
  want(await page.locator(".past").isHidden(), "a history before the first statement");
  const value = () => page.locator("#sql").inputValue();
  for (const sql of [counts, other]) {
    await page.locator("#sql").focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(sql);
    await page.keyboard.press("Control+Enter");
    await until(`rows of ${sql}`, async () => new URL(page.url()).searchParams.get("sql") === sql && (await page.locator("#out table tbody tr").count()) > 0);
  }
  await page.locator("#sql").focus();
  await page.keyboard.press("Alt+ArrowUp");
  want(await value() === counts, `Alt-Up has ${await value()}`);
  await page.keyboard.press("Alt+ArrowUp");
  want(await value() === counts, `before the first: ${await value()}`);
  await page.keyboard.press("Alt+ArrowDown");
  want(await value() === other, `Alt-Down has ${await value()}`);
  // A new page has it, too.
  await open(page, "/sql");
  await tabTo(page, "the history", (on) => on.tag === "SUMMARY");
  await page.keyboard.press("Enter");
  const items = page.locator(".past li button");
  want((await items.allInnerTexts()).join("|") === `${other}|${counts}`, (await items.allInnerTexts()).join("|"));
  for (const b of await barriers(page)) fault(`with history: ${b}`);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  want(await value() === counts, `the second has ${await value()}`);
  await page.getByRole("button", { name: "Clear the history" }).click();
  want(await page.locator(".past").isHidden(), "the history stays");
  want(await page.evaluate(() => localStorage.length + sessionStorage.length) === 0, "the browser still has statements");
  await ends(v, fault);
});

check("SQL: save as a query", async (browser, fault) => {
  const v = await visitor(browser), page = v.first;
  v.expected.push(/400/);
  await open(page, "/sql?sql=" + encodeURIComponent(counts));
  await page.locator(".keep summary").focus();
  await page.keyboard.press("Enter");
  for (const b of await barriers(page)) fault(`with the form: ${b}`);
  await page.keyboard.press("Tab");
  await page.keyboard.type("rejections");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  want((await page.locator(".keep .wrong").innerText()).includes("is a table"), await mainText(page));
  want((await page.locator("#sql").inputValue()).trim() === counts, "the statement is gone");
  for (const b of await barriers(page)) fault(`with a wrong name: ${b}`);
  const name = page.locator("#save-name");
  await name.fill("counts-of-kinds");
  await Promise.all([page.waitForURL((url) => url.pathname === "/query/counts-of-kinds"), name.press("Enter")]);
  want((await page.locator(".result table tbody tr").count()) > 2, "the query has no rows");
  await open(page, "/queries");
  want((await mainText(page)).includes("counts-of-kinds"), "the query is not listed");
  await ends(v, fault);
});

check("a query's page begins with its result", async (browser, fault) => {
  const v = await visitor(browser), page = v.first;
  await open(page, "/query/activity-by-day?_show=chart");
  const chart = await page.locator("#result svg:visible").first().boundingBox();
  want(chart.y + chart.height < 900, `the chart ends at ${chart.y + chart.height} px`);
  const tops = await page.locator(".params :is(input, select, .go):visible").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().bottom));
  want(Math.max(...tops) - Math.min(...tops) < 8, `fields and button end at ${tops}`);
  want(!(await page.locator("details.about").evaluate((d) => d.open)), "the explanation is open");
  await ends(v, fault);
});

check("SQL without script", async (browser, fault) => {
  const v = await visitor(browser, { javaScriptEnabled: false }), page = v.first;
  await open(page, "/sql");
  await page.locator("#sql").fill(counts);
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: /^run$/i }).click()]);
  want((await page.locator("#out table tbody tr").count()) > 2, "no rows");
  for (const format of ["csv", "json", "parquet"]) {
    const link = page.locator(`main a[href*="format=${format}"]`).first();
    want((await link.count()) === 1, `no link to ${format}`);
    const answer = await page.request.get(origin + (await link.getAttribute("href")), { headers: { "Sec-Fetch-Site": "same-origin" } });
    const body = await answer.body();
    want(answer.ok() && body.length > 20, `${format}: ${answer.status()}, ${body.length} bytes`);
    if (format === "parquet") want(body.subarray(0, 4).toString() === "PAR1", "no Parquet");
    if (format === "json") want(JSON.parse(body).length > 2, "no rows in JSON");
  }
  await ends(v, fault);
});

check("keys in a session", async (browser, fault) => {
  const v = await visitor(browser), page = v.first;
  await open(page, given.long);
  const at = () => page.evaluate(() => document.activeElement.closest("[id^=m]")?.id ?? document.querySelector(".here, [aria-current=true], .current")?.closest("[id]")?.id ?? String(window.scrollY));
  const before = await at();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const after = await at();
  if (before === after) fault(`j moves nothing: ${before}`);
  await page.keyboard.press("k");
  if ((await at()) === after) fault("k moves nothing");
  await page.keyboard.press("/");
  want(await page.evaluate(() => ["find", "q"].includes(document.activeElement.name)), `/ leads not to a field: ${await page.evaluate(() => document.activeElement.outerHTML.slice(0, 100))}`);
  await page.keyboard.type("jk?");
  want((await page.evaluate(() => document.activeElement.value)) === "jk?", "keys are taken from a field");
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("?");
  await until("the keys are told", async () => (await page.locator("dialog[open], [popover]:popover-open, .keys:visible").count()) > 0, 3000);
  for (const b of await barriers(page)) fault(`with the keys open: ${b}`);
  await page.keyboard.press("Escape");
  await ends(v, fault);
});

check("find in a session, and search", async (browser, fault) => {
  const v = await visitor(browser, { javaScriptEnabled: false }), page = v.first;
  await open(page, given.long + "?find=rm+-rf+build%2F1007");
  want((await mainText(page)).includes("build/1007"), "what is sought isn't shown");
  await open(page, "/");
  const seek = page.locator('header [name="q"]');
  await seek.fill("webhook");
  await Promise.all([page.waitForNavigation(), seek.press("Enter")]);
  want(new URL(page.url()).pathname === "/search", page.url());
  const hit = page.locator('main a[href*="/session/"][href*="#m"]').first();
  want((await hit.count()) === 1, `no hit: ${(await mainText(page)).slice(0, 300)}`);
  await Promise.all([page.waitForNavigation(), hit.click()]);
  const place = new URL(page.url()).hash.slice(1);
  want((await page.locator(`[id="${place}"]`).count()) === 1, `no ${place} on ${page.url()}`);
  await ends(v, fault);
});
