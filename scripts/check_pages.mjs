// Opens pages in headless Chromium at 400, 820, 1300 and 2560 px, light, dark and as printed: no message on the console,
// no request beyond the file, no element wider than the page, no text over another text
// or cut by what it stands in, nothing that axe-core finds, and in drawings, which axe-core does not look into, no text
// that is cut off or has less than 4.5 to 1 of contrast.
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
  console.log(`SKIPPED: ${chromium} is missing (apt-get install chromium)`);
  process.exit(77);
}
const files = process.argv.slice(2);
const shots = files[0] === '--shots' ? files.splice(0, 2)[1] : null;
if (files.length === 0) throw new Error('which pages?');
if (shots) fs.mkdirSync(shots, {recursive: true});

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
    if (!element.checkVisibility()) continue;  // in a closed fold
    if (box.width > 0 && (box.right > width + 0.5 || box.left < -0.5) && !element.closest('svg') && !scrolls(element))
      found.push(`${element.tagName} ${Math.round(box.left)} to ${Math.round(box.right)}`);
  }
  return found.slice(0, 8);
};

// Runs in the page: text of drawings that is cut off by its drawing, and whose contrast with what it stands on is low:
// the last shape before it that lies under its middle, else the background.
const bad_drawing_text = () => {
  const rgba = (colour) => {
    const [r, g, b, a = 1] = (colour.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    return {r, g, b, a};
  };
  const over = (top, below) => Object.fromEntries(['r', 'g', 'b'].map((part) =>
    [part, top[part] * top.a + below[part] * (1 - top.a)]));
  const luminance = ({r, g, b}) => [r, g, b].map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const background = (element) => element
    ? over(rgba(getComputedStyle(element).backgroundColor), background(element.parentElement)) : {r: 255, g: 255, b: 255};
  const holds = (box, x, y) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
  const found = [];
  for (const text of document.querySelectorAll('svg text')) {
    const box = text.getBoundingClientRect(), drawing = text.ownerSVGElement, frame = drawing.getBoundingClientRect();
    if (box.width === 0 || !text.checkVisibility?.({checkOpacity: true, checkVisibilityCSS: true})) continue;
    const name = `"${text.textContent.slice(0, 60)}"`, [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    // Half a pixel of a glyph's side bearing is none of it.
    if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
      found.push(`cut off: ${name} ${Math.round(box.left - frame.left)} to ${Math.round(box.right - frame.left)} of ${
        Math.round(frame.width)}`);
    let below = background(drawing);
    for (const shape of drawing.querySelectorAll('rect, circle, path'))
      if (shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING && holds(shape.getBoundingClientRect(), x, y)) {
        const fill = getComputedStyle(shape).fill;
        if (fill !== 'none') below = over(rgba(fill), below);
      }
    const [low, high] = [luminance(over(rgba(getComputedStyle(text).fill), below)), luminance(below)].sort((p, q) => p - q);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) found.push(`contrast ${contrast.toFixed(2)}: ${name}`);
  }
  return [...new Set(found)].slice(0, 8);
};

// Runs in the page: lines of text whose boxes overlap, and text that what it stands in cuts. What scrolls may hide text;
// what is not drawn has none. Boxes are those of lines, less a pixel and a half to each side: ascenders may touch.
const bad_text = () => {
  const boxes = [], found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement, text = node.textContent.trim();
    if (!text || parent.closest('script, style, select, option, dialog:not([open]), .bars, .u-over, .u-under, [aria-hidden=true]')) continue;
    if (!parent.checkVisibility?.({checkOpacity: true, checkVisibilityCSS: true})) continue;
    const head = parent.closest('thead');
    if (head && getComputedStyle(head).clipPath !== 'none') continue;  // for screen readers alone
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width < 4 || box.height < 4) continue;
      boxes.push({left: box.left + 1.5, right: box.right - 1.5, top: box.top + box.height * 0.22, bottom: box.bottom - box.height * 0.22,
        text: text.slice(0, 40), parent});
    }
    if (!parent.closest('svg') && getComputedStyle(parent).overflowX === 'hidden' && parent.scrollWidth > parent.clientWidth + 1)
      found.push(`cut: "${text.slice(0, 40)}"`);
  }
  boxes.sort((a, b) => a.top - b.top);
  for (let i = 0; i < boxes.length; ++i)
    for (let k = i + 1; k < boxes.length && boxes[k].top < boxes[i].bottom; ++k) {
      const [a, b] = [boxes[i], boxes[k]];
      if (a.left >= b.right || b.left >= a.right || getComputedStyle(a.parent).position === 'sticky' ||
        a.parent.closest('nav.toc') || b.parent.closest('nav.toc')) continue;
      found.push(`"${a.text}" over "${b.text}"`);
    }
  return [...new Set(found)].slice(0, 8);
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

// A check that finds nothing must have been able to: three faults in a drawing, and a text without any; two of text.
async function must_find_what_is_planted(browser) {
  const page = await browser.newPage();
  await page.setContent(`<body style="background:#fff"><svg width="200" height="60"><rect width="100" height="30" fill="#555"/>
    <text x="5" y="20" fill="#444">on a bar</text><text x="150" y="20" fill="#000">it ends beyond the drawing</text>
    <text x="105" y="50" fill="#bbb">faint</text><text x="5" y="50" fill="#000">good</text></svg></body>`);
  const found = (await page.evaluate(bad_drawing_text)).map((text) => text.replace(/ [\d.]+: /, ' ').slice(0, 19)).join('|');
  const planted = 'contrast "on a bar"|cut off: "it ends b|contrast "faint"';
  if (found !== planted) throw new Error(`check of drawings: found ${found}, planted ${planted}`);
  await page.setContent(`<body><p style="position:absolute;top:10px;left:10px">one text</p><p style="position:absolute;top:14px;
    left:30px">another</p><p style="position:absolute;top:60px;width:40px;overflow:hidden;white-space:nowrap">much too long</p></body>`);
  const texts = (await page.evaluate(bad_text)).join('|');
  if (texts !== 'cut: "much too long"|"one text" over "another"') throw new Error(`check of texts: found ${texts}`);
  await page.close();
}

async function problems_of(browser, file, width, scheme) {
  const page = await browser.newPage(), found = [], url = pathToFileURL(path.resolve(file)).href;
  page.on('console', (message) => found.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => found.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const to = request.url();
    if (to !== url && !to.startsWith('data:')) found.push(`request: ${to.slice(0, 200)}`);
  });
  await page.setViewport({width, height: width > 2000 ? 2160 : 900});
  if (scheme !== 'print') await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
  await page.goto(url, {waitUntil: 'load', timeout: 300000});
  await page.evaluate(scroll_through);
  if (scheme === 'print') await page.emulateMediaType('print');
  found.push(...(await page.evaluate(too_wide)).map((text) => `wide: ${text}`), ...scheme === 'print' ? [] : await violations(page),
    ...(await page.evaluate(bad_text)).map((text) => `text: ${text}`),
    ...(await page.evaluate(bad_drawing_text)).map((text) => `drawing: ${text}`));
  const shot = `${path.basename(file, '.html')}-${width}-${scheme}.png`;
  // Chromium takes no picture that is much higher.
  const height = Math.min(16000, 4e7 / width, await page.evaluate(() => document.documentElement.scrollHeight));
  if (shots) await page.screenshot({path: path.join(shots, shot), clip: {x: 0, y: 0, width, height}, captureBeyondViewport: true});
  await page.close();
  return found;
}

const browser = await puppeteer.launch({executablePath: chromium, headless: true, protocolTimeout: 600000, args: [
  ...(process.getuid() === 0 ? ['--no-sandbox'] : [])]});
await must_find_what_is_planted(browser);
let failed = 0;
for (const file of files)
  for (const width of [400, 820, 1300, 2560])
    for (const scheme of ['light', 'dark', 'print']) {
      const found = await problems_of(browser, file, width, scheme);
      failed += found.length > 0 ? 1 : 0;
      console.log([`${found.length > 0 ? 'FAILED' : 'ok'} ${file} ${width} px ${scheme}`, ...found].join('\n  '));
    }
await browser.close();
process.exit(failed > 0 ? 1 : 0);
