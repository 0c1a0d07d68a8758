// Bars over an axis, nested below each other: stages over time, functions over samples. A click or Enter zooms, Esc shows all,
// arrows move, a search marks; for screen readers they are a tree.
'use strict';
const aqbench_bars = (() => {
  const {make} = aqbench;
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

  // Makes a chart of `items`: [{from, to, row, level, name, text, colour}], the outer ones first.
  //   extent   [from, to] of the axis
  //   amount   returns the text of a stretch of the axis: "12.5 ms"
  //   tick     returns the text at a place of the axis, given the distance of ticks; none: no axis is drawn
  //   lanes    [{row, text}]: rows that name what is below them
  //   on_view  is called with [from, to] whenever that changes
  function chart({label, items, extent, amount, tick, lanes = [], on_view}) {
    const prefix = `bars-${++charts}`, rows = 1 + Math.max(0, ...items.map((item) => item.row), ...lanes.map(({row}) => row));
    let view = extent, here, words = '', drawn = [];
    items.forEach((item, index) => { item.index = index; });
    const tree = make('div', {class: 'bars', role: 'tree', tabindex: 0, 'aria-label': label});
    const axis = make('div', {class: 'ticks', 'aria-hidden': 'true'}), said = make('output', {class: 'dim'});
    const found = make('span', {class: 'dim', 'aria-live': 'polite'});
    const inner = make('div', {role: 'none', style: `position:relative;height:${rows * row_em + 0.2}em`});
    tree.append(inner);

    const is_hit = (item) => words !== '' && item.name.toLowerCase().includes(words);
    const percent = (place) => 100 * (place - view[0]) / (view[1] - view[0]);

    function element(item) {
      const left = Math.max(0, percent(item.from)), right = Math.min(100, percent(item.to));
      const thin = (right - left) * tree.clientWidth < 400;  // below 4 px
      const place = make('div', {role: 'treeitem', id: `${prefix}-${item.index}`, 'aria-level': item.level + 1,
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
      inner.replaceChildren(...lanes.map(({row, text}) => make('div', {class: 'lane', 'aria-hidden': 'true',
        style: `top:${row * row_em}em`}, text)), ...drawn.map(element));
      if (here && drawn.includes(here)) tree.setAttribute('aria-activedescendant', `${prefix}-${here.index}`);
      else tree.removeAttribute('aria-activedescendant');
      if (tick) {
        const parts = tree.clientWidth < 600 ? 2 : 4;
        axis.replaceChildren(...Array.from({length: parts + 1}, (_, i) => make('span', {
          style: i === 0 ? 'left:0' : i === parts ? 'right:0' : `left:${100 * i / parts}%;transform:translateX(-50%)`},
          tick(view[0] + (view[1] - view[0]) * i / parts, (view[1] - view[0]) / parts))));
      }
      said.textContent = here ? here.text : hidden > 0
        ? `${hidden} ${hidden === 1 ? 'bar is' : 'bars are'} too narrow to be seen: zoom in` : '';
      on_view?.(view);
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
      tick ? axis : '', tree, said);
    draw();
    new ResizeObserver(draw).observe(tree);  // names have room or not
    return {box, show, search, zoom_to, drawn: () => drawn, view: () => view};
  }

  return {chart, covered, seen, neighbour};
})();
