// What one does with the pages, with a mouse and without.
import { appendFileSync } from "node:fs";
import { check, given, open, origin, visitor, want } from "./browser.mjs";

check("a session of 5,000 messages", async (browser, fault) => {
  const v = await visitor(browser), page = v.first;
  await open(page, given.long); // what is first read is read from the disk
  const began = Date.now();
  await open(page, given.long);
  const took = Date.now() - began;
  if (took > 1000) fault(`opens in ${took} ms`);
  // Pages lead from the beginning to the end.
  let pages = 1;
  for (; pages < 100; pages++) {
    const next = page.locator('main a[rel~="next"]').first();
    if ((await next.count()) === 0) break;
    await Promise.all([page.waitForNavigation(), next.click()]);
  }
  want(pages > 5 && pages < 100, `${pages} pages`);
  want((await page.locator("main").innerText()).includes("Prompt 2047"), "the last page has no last prompt");
  v.faults.forEach(fault);
  await v.close();
});
