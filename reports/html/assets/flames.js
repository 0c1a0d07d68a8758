// Draws where the processor's time went: a flamegraph of one case, or of two against each other. A click or Enter zooms, Esc shows
// all of it, arrows move, a search marks; for screen readers it is a tree.
'use strict';
const aqbench_flames = (() => {
  const {make, choice, table_of, data, number} = aqbench;
  const percent = (share) => `${number(Number((100 * share).toPrecision(3)))} %`;
  const most_drawn = 1200, row_em = 2;
  let charts = 0;

  // Returns how much of the axis bars cover together, each place once.
  function covered(items) {
    let sum = 0, end = -Infinity;
    for (const item of [...items].sort((a, b) => a.from - b.from)) {
      sum += Math.max(0, item.to - Math.max(item.from, end));
      end = Math.max(end, item.to);
    }
    return sum;
  }

  // Returns the bars that can be seen between two places: those of at least a two-thousandth of it, the widest if there are
  // too many, in their order.
  function seen(items, [from, to]) {
    const wide = items.filter((item) => item.to >= from && item.from <= to && item.to - item.from >= (to - from) / 2000);
    if (wide.length <= most_drawn) return wide;
    const widest = new Set([...wide].sort((a, b) => (b.to - b.from) - (a.to - a.from)).slice(0, most_drawn));
    return wide.filter((item) => widest.has(item));
  }

  // Returns the bar that an arrow leads to from `here`, undefined where there is none: beside it in its row, or in the nearest
  // row below or above the first one over the same place, else the nearest.
  function neighbour(items, here, key) {
    if (!here) return items[0];
    const before = (a, b) => a.from - b.from || b.to - a.to;
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const row = items.filter((item) => item.row === here.row).sort(before);
      return row[row.indexOf(here) + (key === 'ArrowLeft' ? -1 : 1)];
    }
    const sign = key === 'ArrowDown' ? 1 : -1, off = (item) => Math.max(0, item.from - here.to, here.from - item.to);
    return items.filter((item) => sign * (item.row - here.row) > 0).sort((a, b) =>
      sign * (a.row - b.row) || off(a) - off(b) || before(a, b))[0];
  }

  // Makes a chart of `items`: [{from, to, row, name, text, colour}], the outer ones first.
  // `extent` is [from, to] of the axis, and amount() returns the text of a stretch of it: "12.5 %".
  function chart({label, items, extent, amount}) {
    const prefix = `bars-${++charts}`, rows = 1 + Math.max(0, ...items.map((item) => item.row));
    let view = extent, here, words = '', drawn = [];
    items.forEach((item, index) => { item.index = index; });
    const tree = make('div', {class: 'bars', role: 'tree', tabindex: 0, 'aria-label': label});
    const said = make('output', {class: 'dim'});
    const found = make('span', {class: 'dim', 'aria-live': 'polite'});
    const inner = make('div', {role: 'none', style: `position:relative;height:${rows * row_em + 0.2}em`});
    tree.append(inner);

    const is_hit = (item) => words !== '' && item.name.toLowerCase().includes(words);
    const percent = (place) => 100 * (place - view[0]) / (view[1] - view[0]);

    function element(item) {
      const left = Math.max(0, percent(item.from)), right = Math.min(100, percent(item.to));
      const thin = (right - left) * tree.clientWidth < 400;  // below 4 px
      const place = make('div', {role: 'treeitem', id: `${prefix}-${item.index}`, 'aria-level': item.row + 1,
        'aria-selected': item === here ? 'true' : 'false', 'aria-label': item.text, title: item.text,
        class: (is_hit(item) ? 'hit ' : '') + (thin ? 'thin ' : '') + (item === here ? 'here' : ''),
        style: `left:${left.toFixed(3)}%;width:${Math.max(0, right - left).toFixed(3)}%;top:${item.row * row_em}em;` +
          `background:${item.colour}`, onclick: () => zoom_to(item)});
      if ((right - left) * tree.clientWidth > 2400) place.append(item.name);
      return place;
    }

    function draw() {
      drawn = seen(items, view);
      const hidden = items.filter((item) => item.to >= view[0] && item.from <= view[1]).length - drawn.length;
      inner.replaceChildren(...drawn.map(element));
      if (here && drawn.includes(here)) tree.setAttribute('aria-activedescendant', `${prefix}-${here.index}`);
      else tree.removeAttribute('aria-activedescendant');
      said.textContent = here ? here.text : hidden > 0
        ? `${hidden} ${hidden === 1 ? 'bar is' : 'bars are'} too narrow to be seen: zoom in` : '';
    }

    function show(from, to) {
      view = to > from ? [from, to] : extent;
      draw();
    }
    function zoom_to(item) {
      here = item;
      show(item.from, item.to);
    }
    function zoom_by(factor) {
      const middle = here ? (here.from + here.to) / 2 : (view[0] + view[1]) / 2, half = (view[1] - view[0]) / 2 * factor;
      show(Math.max(extent[0], middle - half), Math.min(extent[1], middle + half));
    }
    function search(text) {
      words = text.trim().toLowerCase();
      const hits = items.filter(is_hit);
      found.textContent = words === '' ? '' : `${hits.length} ${hits.length === 1 ? 'bar' : 'bars'}, ${amount(covered(hits))}`;
      draw();
    }

    tree.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const {key} = event;
      if (key.startsWith('Arrow')) {
        here = neighbour(drawn, here, key) ?? here;
        draw();
        inner.querySelector('.here')?.scrollIntoView({block: 'nearest'});
      } else if ((key === 'Enter' || key === ' ') && here) zoom_to(here);
      else if (key === 'Escape' || key === 'Home') show(...extent);
      else if (key === '+') zoom_by(0.5);
      else if (key === '-') zoom_by(2);
      else return;
      event.preventDefault();
    });
    const box = make('div', {class: 'barchart'},
      make('div', {class: 'tools'}, make('button', {type: 'button', onclick: () => show(...extent)}, 'show all'),
        make('label', {}, 'search ', make('input', {type: 'search', oninput: (event) => search(event.target.value)})), found),
      tree, said);
    draw();
    new ResizeObserver(draw).observe(tree);  // names have room or not
    return {box, show, search, zoom_to, drawn: () => drawn, view: () => view};
  }

  // Returns the frames of stacks as bars, with `path`, which says where they were called from, and `self`, the samples in
  // which they were the innermost.
  function frames_of(stacks) {
    const next = [0], items = [], open = [];
    for (const [name, level, samples] of stacks.frames) {
      const from = next[level] ?? 0;
      open.length = level;
      if (level > 0) open[level - 1].self -= samples;
      const item = {from, to: from + samples, row: level, samples, self: samples, name: stacks.names[name],
        path: (level > 0 ? open[level - 1].path : '') + '\u0001' + stacks.names[name]};
      next[level] = from + samples;
      next[level + 1] = from;
      open.push(item);
      items.push(item);
    }
    return items;
  }

  // Returns name -> share of the samples in which a function was the innermost.
  function self_shares(stacks) {
    const shares = new Map();
    for (const {name, self} of frames_of(stacks)) shares.set(name, (shares.get(name) ?? 0) + self / stacks.samples);
    return shares;
  }

  function function_colour(name) {
    let hash = 2166136261;
    for (let i = 0; i < name.length; ++i) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
    const a = hash & 255, b = (hash >>> 8) & 255;
    if (name.startsWith('stage ')) return `rgb(${120 + (a >> 3)} ${165 + (b >> 3)} 225)`;
    if (/^\[.*\]$/.test(name)) return `rgb(${Array(3).fill(185 + (a >> 3)).join(' ')})`;
    return `rgb(${215 + (a >> 3)} ${120 + (b >> 1)} ${80 + (a >> 3)})`;
  }

  // White where the shares are equal, red for more, blue for less; full colour at a tenth of all samples.
  function change_colour(change) {
    const faded = Math.round(255 - 125 * Math.min(1, Math.sqrt(Math.abs(change) / 0.1)));
    return change > 0 ? `rgb(255 ${faded} ${faded})` : `rgb(${faded} ${faded} 255)`;
  }

  const points = (change) => `${change < 0 ? '-' : '+'}${number(Number((100 * Math.abs(change)).toPrecision(3)))} points`;

  // A flamegraph of one case; against another one where `before` is given.
  function flames(at, before) {
    const {stacks} = at, items = frames_of(stacks);
    const earlier = new Map(before ? frames_of(before.stacks).map((item) => [item.path, item.samples / before.stacks.samples]) : []);
    for (const item of items) {
      const share = item.samples / stacks.samples, change = share - (earlier.get(item.path) ?? 0);
      item.text = `${item.name}: ${item.samples} samples, ${percent(share)}` + (before ? `, ${points(change)}` : '');
      item.colour = before ? change_colour(change) : function_colour(item.name);
    }
    const {box} = chart({label: `processor time of ${at.label}`, items, extent: [0, stacks.samples],
      amount: (samples) => percent(samples / stacks.samples)});
    const left_out = stacks.least > 1 ? ` Frames with fewer than ${stacks.least} samples are not shown.` : '';
    return make('div', {class: 'plot'}, make('h3', {}, before ? `${at.label} against ${before.label}` : at.label),
      make('p', {class: 'dim'}, `${stacks.samples} samples.${left_out}` + (before ? ' Red: a larger share than there, blue: a ' +
        'smaller one, white: the same.' : ' Blue: stages, grey: no symbol.')), box);
  }

  function hottest(a, b) {
    const of_a = self_shares(a.stacks), of_b = b ? self_shares(b.stacks) : new Map();
    const rows = [...new Set([...of_a.keys(), ...of_b.keys()])].map((name) => [name, of_a.get(name) ?? 0, of_b.get(name) ?? 0]);
    rows.sort((x, y) => b ? Math.abs(y[2] - y[1]) - Math.abs(x[2] - x[1]) : y[1] - x[1]);
    const titles = b ? ['function', 'A', 'B', 'B - A'] : ['function', 'share'];
    return [make('h3', {}, b ? 'Functions whose own share changed most' : 'Functions with the largest share of their own'),
      table_of('functions by their own share', titles, rows.slice(0, 10).map(([name, of_first, of_second]) =>
        [{}, name, percent(of_first), ...(b ? [percent(of_second), points(of_second - of_first)] : [])]))];
  }

  // Offers two cases, the second one may be none. A page over two bundles begins with the worst case beside the same one of the other.
  function start(target) {
    const cases = data.cases.filter((at) => at.stacks), picture = make('div'), table = make('div');
    if (cases.length === 0) return null;
    const options = cases.map((at, i) => [i, at.label]), a = choice('case A', options, () => show());
    const b = choice('against it B', [[-1, 'none'], ...options], () => show());
    const tools = make('div', {class: 'tools'}, a.label, ...(cases.length > 1 ? [b.label] : []));
    const show = (first = a.select.value, second = b.select.value) => {
      [a.select.value, b.select.value] = [first, second];
      const [at, other] = [cases[first], cases[second]];
      picture.replaceChildren(flames(at, null), ...(other ? [flames(other, at)] : []));
      table.replaceChildren(...hottest(at, other));
    };
    target.append(tools, picture, table);
    const first = Math.max(0, cases.findIndex((at) => at.name === 'A: ' + data.worst)), twin = 'B: ' + cases[first].name.slice(3);
    show(first, data.pairs ? cases.findIndex((at) => at.name === twin) : -1);
    return show;
  }

  const section = document.getElementById('flames');
  return {chart, covered, seen, neighbour, frames_of, self_shares, show: section ? start(section) : null};
})();
