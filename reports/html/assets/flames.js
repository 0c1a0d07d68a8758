// Draws where the processor's time went: a flamegraph of one case, or of two against each other. A click or Enter zooms to a
// bar, Esc shows all of it, arrows move, a search marks.
'use strict';
const aqbench_flames = (() => {
  const {make, choice, table_of, data, number} = aqbench;
  const rounded = (share) => number(Number((100 * share).toPrecision(3)));
  const percent = (share) => `${rounded(share)} %`, points = (change) => `${change < 0 ? '-' : '+'}${rounded(Math.abs(change))} points`;

  // Returns the frames of stacks below a root. `way` says where a frame was called from, `self` in how many samples it was the
  // innermost.
  function frames_of({samples, names, frames}) {
    const root = {samples, self: samples, way: '', callees: []}, open = [root];
    for (const [index, level, count] of frames) {
      const caller = open[level], name = names[index];
      const frame = {name, samples: count, self: count, way: `${caller.way}${name}\u0001`, callees: []};
      caller.self -= count;
      caller.callees.push(frame);
      open.splice(level + 1, Infinity, frame);
    }
    return root;
  }
  const all_below = (frame) => frame.callees.flatMap((callee) => [callee, ...all_below(callee)]);

  // Returns name -> share of the samples in which a function was the innermost.
  function self_shares(stacks) {
    const shares = new Map();
    for (const {name, self} of all_below(frames_of(stacks))) shares.set(name, (shares.get(name) ?? 0) + self / stacks.samples);
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

  // Where an arrow leads to from a bar.
  const steps = {ArrowDown: (bar) => bar.querySelector('.frame'), ArrowUp: (bar) => bar.parentElement.closest('.frame'),
    ArrowLeft: (bar) => bar.previousElementSibling, ArrowRight: (bar) => bar.nextElementSibling};

  // Makes a chart of all below `root`, each bar over those that it calls.
  function chart(root, label, text_of, colour_of) {
    let zoomed = root, words = '';
    const bars = make('div', {class: 'bars', role: 'group', 'aria-label': label}), said = make('output', {class: 'dim'});
    const found = make('span', {class: 'dim', 'aria-live': 'polite'});
    const is_hit = (frame) => words !== '' && frame !== root && frame.name.toLowerCase().includes(words);
    const covered = (frame) => is_hit(frame) ? frame.samples : frame.callees.reduce((sum, callee) => sum + covered(callee), 0);

    // What calls the bar that is zoomed to is as wide as that. What is below a thousandth of it cannot be seen.
    function bars_of(frame) {
      const caller = frame.callees.find(({way}) => zoomed.way.startsWith(way));
      let from = 0;
      return (caller ? [caller] : frame.callees).map((callee) => {
        const share = 100 / (caller ?? frame).samples, left = from;
        from += callee.samples;
        return callee.samples < zoomed.samples / 1000 ? '' : make('div', {class: 'frame',
          style: `left:${left * share}%;width:${callee.samples * share}%`},
        make('button', {type: 'button', class: is_hit(callee) && 'hit', tabindex: callee === zoomed || frame === root ? 0 : -1,
          title: text_of(callee), style: `background:${colour_of(callee)}`, onclick: () => zoom(callee)}, callee.name), ...bars_of(callee));
      });
    }
    const depth = (frame) => 1 + Math.max(0, ...frame.callees.map(depth)), height = 2 * depth(root) - 2;
    const draw = () => bars.replaceChildren(make('div', {style: `height:${height}em`}, ...bars_of(root)));
    function zoom(frame) {
      zoomed = frame;
      draw();
      if (frame !== root) [...bars.querySelectorAll('[tabindex="0"]')].at(-1).focus();
    }
    function search(text) {
      words = text.trim().toLowerCase();
      const hits = all_below(root).filter(is_hit).length;
      found.textContent = words === '' ? '' : `${hits} ${hits === 1 ? 'bar' : 'bars'}, ${percent(covered(root) / root.samples)}`;
      draw();
    }

    bars.addEventListener('focusin', ({target}) => { said.textContent = target.title; });
    bars.addEventListener('keydown', (event) => {
      const next = steps[event.key]?.(event.target.parentElement)?.querySelector('button');
      if (event.key === 'Escape') zoom(root);
      else if (next) next.focus();
      else return;
      event.preventDefault();
    });
    draw();
    return make('div', {}, make('div', {class: 'tools'}, make('button', {type: 'button', onclick: () => zoom(root)}, 'show all'),
      make('label', {}, 'search ', make('input', {type: 'search', oninput: (event) => search(event.target.value)})), found), bars, said);
  }

  // A flamegraph of one case; against another one where `before` is given.
  function flames(at, before) {
    const {samples, least} = at.stacks;
    const earlier = new Map(before ? all_below(frames_of(before.stacks)).map((frame) => [frame.way, frame.samples / before.stacks.samples]) : []);
    const change = (frame) => frame.samples / samples - (earlier.get(frame.way) ?? 0);
    return make('div', {class: 'plot'}, make('h3', {}, before ? `${at.label} against ${before.label}` : at.label),
      make('p', {class: 'dim'}, `${samples} samples.${least > 1 ? ` Frames with fewer than ${least} samples are not shown.` : ''}` +
        (before ? ' Red: a larger share than there, blue: a smaller one, white: the same.' : ' Blue: stages, grey: no symbol.')),
      chart(frames_of(at.stacks), `processor time of ${at.label}`, (frame) => `${frame.name}: ${frame.samples} samples, ` +
        percent(frame.samples / samples) + (before ? `, ${points(change(frame))}` : ''),
      (frame) => before ? change_colour(change(frame)) : function_colour(frame.name)));
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
  return {show: section ? start(section) : null};
})();
