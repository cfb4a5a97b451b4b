// A picture of a replay page as one sees it: node picture.mjs PAGE.html OUT.png [FRAGMENT]
import { resolve } from "node:path";
import { launch, open } from "./browser.mjs";

const [, , file, out, hash = ""] = process.argv, browser = await launch();
const { page } = await open(browser, resolve(file), { width: 1440, height: 900, hash });
await page.waitForTimeout(300);
await page.screenshot({ path: out });
await browser.close();
