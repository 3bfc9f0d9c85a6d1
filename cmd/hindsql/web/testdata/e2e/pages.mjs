// Each page: it opens, is whole without script, has no barrier, fits the window.
import { mkdirSync } from "node:fs";
import { barriers, breaches, check, given, open, sideways, visitor } from "./browser.mjs";

// The pages, by a name for pictures. The last link of those that the test knows no
// address of is followed from where it stands.
export const pages = given.pages;

const schemes = ["light", "dark"];

check("pages open", async (browser, fault) => {
  const v = await visitor(browser), page = v.first;
  for (const [name, path] of Object.entries(pages)) {
    await open(page, path).catch((e) => fault(`${name}: ${e.message}`));
    for (const b of await breaches(page)) fault(`${name}: policy: ${b}`);
    const h1 = await page.locator("h1").count();
    if (h1 !== 1) fault(`${name}: ${h1} headings of the first level`);
    if (!(await page.title()).includes("hindsql")) fault(`${name}: title ${await page.title()}`);
  }
  v.faults.forEach(fault);
  await v.close();
});

check("pages without script", async (browser, fault) => {
  const v = await visitor(browser, { javaScriptEnabled: false }), page = v.first;
  for (const [name, path] of Object.entries(pages)) {
    const answer = await open(page, path).catch((e) => fault(`${name}: ${e.message}`));
    if (!answer) continue;
    const text = await page.locator("main").innerText();
    if (text.trim().length < 20) fault(`${name}: ${text}`);
    if (/loading|javascript/i.test(text.slice(0, 200))) fault(`${name}: waits for script: ${text.slice(0, 200)}`);
  }
  v.faults.forEach(fault);
  await v.close();
});

for (const colorScheme of schemes) {
  for (const width of [400, 1200]) {
    check(`no barriers, ${colorScheme}, ${width} px`, async (browser, fault) => {
      const v = await visitor(browser, { colorScheme, viewport: { width, height: 900 } }), page = v.first;
      for (const [name, path] of Object.entries(pages)) {
        await open(page, path);
        for (const b of await barriers(page)) fault(`${name}: ${b}`);
      }
      v.faults.forEach(fault);
      await v.close();
    });
  }
}

check("pages fit", async (browser, fault) => {
  for (const width of [360, 400, 768, 1200, 2000, 2560]) {
    const v = await visitor(browser, { viewport: { width, height: 900 } }), page = v.first;
    for (const [name, path] of Object.entries(pages)) {
      await open(page, path);
      const over = await sideways(page);
      if (over) fault(`${name} at ${width} px: ${over}`);
      const main = await page.locator("main").boundingBox();
      if (width >= 2000 && main.width < 1000) fault(`${name} at ${width} px: main is ${main.width} px wide`);
    }
    await v.close();
  }
});

if (given.shots) {
  check("pictures", async (browser, fault) => {
    mkdirSync(given.shots, { recursive: true });
    for (const colorScheme of schemes) {
      for (const width of [400, 1200, 2000]) {
        const v = await visitor(browser, { colorScheme, viewport: { width, height: width < 600 ? 900 : 1000 } }), page = v.first;
        for (const [name, path] of Object.entries(pages)) {
          await open(page, path).catch((e) => fault(`${name}: ${e.message}`));
          await page.screenshot({ path: `${given.shots}/${name}-${width}-${colorScheme}.png` });
        }
        await v.close();
      }
    }
  });
}
