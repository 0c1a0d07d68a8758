// Opens pages in headless Chromium at 400, 1300 and 3840 px, light and dark: no message on the console, no request
// beyond the file (a site: none beyond its folder), no element wider than the page, nothing that axe-core finds.
//   npm install --prefix FOLDER puppeteer-core@24.43.1 axe-core@4.14.1
//   NODE_PATH=FOLDER/node_modules node scripts/check_pages.mjs [--shots DIR] PAGE.html...
// CHROMIUM names another program than /usr/bin/chromium. Exit 1: a page failed. 77: no Chromium.
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const require = createRequire(path.resolve(process.env.NODE_PATH ?? 'node_modules', 'page_checks.js'));
const puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!fs.existsSync(chromium)) {
  console.log(`SKIPPED: ${chromium} is not there (apt-get install chromium)`);
  process.exit(77);
}
const files = process.argv.slice(2);
const shots = files[0] === '--shots' ? files.splice(0, 2)[1] : null;
if (files.length === 0) throw new Error('which pages?');

// Runs in the page: what sticks out to the right or left of it, unless something around it scrolls.
const too_wide = () => {
  const width = document.documentElement.clientWidth;
  const scrolls = (element) => {
    for (let at = element.parentElement; at && at !== document.body; at = at.parentElement)
      if (getComputedStyle(at).overflowX !== 'visible') return true;
    return false;
  };
  const found = document.documentElement.scrollWidth > width ? [`page ${document.documentElement.scrollWidth}`] : [];
  for (const element of document.querySelectorAll('body *')) {
    const box = element.getBoundingClientRect();
    if (box.width > 0 && (box.right > width + 0.5 || box.left < -0.5) && !element.closest('svg') && !scrolls(element))
      found.push(`${element.tagName} ${Math.round(box.left)} to ${Math.round(box.right)}`);
  }
  return found.slice(0, 8);
};

// Runs in the page: comes past everything, so that all that starts in sight has started.
const scroll_through = async () => {
  for (let y = 0; y < document.documentElement.scrollHeight; y += 500) {
    scrollTo(0, y);
    await new Promise((done) => setTimeout(done, 60));
  }
  scrollTo(0, 0);
  await new Promise((done) => setTimeout(done, 500));
};

// axe-core runs in a world of its own: the page's policy lets no other script in.
async function violations(page) {
  const client = await page.createCDPSession();
  const {frameTree} = await client.send('Page.getFrameTree');
  const {executionContextId: contextId} = await client.send('Page.createIsolatedWorld', {frameId: frameTree.frame.id});
  await client.send('Runtime.evaluate', {expression: axe, contextId});
  const {result, exceptionDetails} = await client.send('Runtime.evaluate', {contextId, awaitPromise: true,
    expression: `axe.run(document, {resultTypes: ['violations'], preload: false}).then((all) => JSON.stringify(all.violations.map(
      ({id, nodes}) => id + ': ' + nodes.slice(0, 3).map((node) => node.target.join(' ')).join(', '))))`});
  return exceptionDetails ? [`axe-core did not run: ${exceptionDetails.text}`] : JSON.parse(result.value);
}

async function problems_of(browser, file, width, scheme) {
  const page = await browser.newPage(), found = [], url = pathToFileURL(path.resolve(file)).href;
  const folder = fs.existsSync(path.join(path.dirname(file), 'assets')) ? path.dirname(file)
    : path.resolve(path.dirname(file), '..');
  const is_site = fs.existsSync(path.join(folder, 'assets/site.css'));
  const site = is_site ? pathToFileURL(path.resolve(folder)).href + '/' : null;
  page.on('console', (message) => found.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => found.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const to = request.url();
    if (to !== url && !to.startsWith('data:') && !(site && to.startsWith(site)))
      found.push(`request: ${to.slice(0, 200)}`);
  });
  await page.setViewport({width, height: width > 2000 ? 2160 : 900});
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
  await page.goto(url, {waitUntil: 'load', timeout: 300000});
  await page.evaluate(scroll_through);
  found.push(...(await page.evaluate(too_wide)).map((text) => `wide: ${text}`), ...await violations(page));
  const shot = `${path.basename(file, '.html')}-${width}-${scheme}.png`;
  // Chromium takes no picture that is much higher.
  const height = Math.min(16000, await page.evaluate(() => document.documentElement.scrollHeight));
  if (shots) await page.screenshot({path: path.join(shots, shot), clip: {x: 0, y: 0, width, height}, captureBeyondViewport: true});
  await page.close();
  return found;
}

const browser = await puppeteer.launch({executablePath: chromium, headless: true, protocolTimeout: 600000, args: [
  ...(process.getuid() === 0 ? ['--no-sandbox'] : []), '--use-angle=swiftshader', '--enable-unsafe-swiftshader']});
let failed = 0;
for (const file of files)
  for (const width of [400, 1300, 3840])
    for (const scheme of ['light', 'dark']) {
      const found = await problems_of(browser, file, width, scheme);
      failed += found.length > 0 ? 1 : 0;
      console.log([`${found.length > 0 ? 'FAILED' : 'ok'} ${file} ${width} px ${scheme}`, ...found].join('\n  '));
    }
await browser.close();
process.exit(failed > 0 ? 1 : 0);
