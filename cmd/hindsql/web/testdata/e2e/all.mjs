import "./pages.mjs";
import "./flows.mjs";
import { runAll } from "./browser.mjs";

await runAll();
