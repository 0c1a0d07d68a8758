// Draws the stages of cases over time with the memory that they held, and where the processor's time went: of one case, or of
// two against each other.
'use strict';
const aqbench_stages = (() => {
  const {make, data, number} = aqbench, bars = aqbench_bars;
  const round = (value) => value === null || value === undefined ? 'n/a' : number(Number(value.toPrecision(3)));
  const unit_of = (ms) => ms < 1000 ? ['ms', 1] : ms < 600000 ? ['s', 1000] : ['min', 60000];
  const time = (ms) => ms === null ? 'n/a' : `${round(ms / unit_of(ms)[1])} ${unit_of(ms)[0]}`;
  const mib = (bytes) => round(bytes === null ? null : bytes / 2 ** 20);
  const percent = (share) => `${number(Number((100 * share).toPrecision(3)))} %`;

  // Each name has one colour in all of a page: that of the chart of all cases, light enough for black letters.
  const hues = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442', '#7f7f7f', '#8c6bb1', '#41ab5d'];
  const names = new Map((data.stage_names ?? []).map((name, place) => [name, place]));
  function stage_colour(name) {
    if (!names.has(name)) names.set(name, names.size);
    const place = names.get(name), light = [0.5, 0.75, 0.3][Math.floor(place / hues.length) % 3];
    const part = (at) => Math.round(255 * light + (1 - light) * parseInt(hues[place % hues.length].slice(at, at + 2), 16));
    return `rgb(${part(1)} ${part(3)} ${part(5)})`;
  }

  function add_stage(made, [name, , calls, wall, self, net, peak, resident, beside], row, from) {
    const memory = (net === null && peak === null) || (net === 0 && peak === 0) ? ''
      : `; tensors: at most ${mib(peak)} MiB more than at its start, left ${mib(net)} MiB`;
    made.items.push({from, to: from + wall, row, level: row, name, colour: stage_colour(name),
      text: `${name}: ${time(wall)} in ${calls} ${calls === 1 ? 'call' : 'calls'}, ${time(self)} of its own` + memory +
        (resident === null || resident === undefined ? '' : `; resident memory grew by ${mib(resident)} MiB`) +
        (beside ? '; on another thread' : '')});
  }

  // The stages of a record one after the other with what is nested in them: what is known of them without a trace.
  function of_medians(at) {
    const made = {items: [], lanes: [], unknown: [], alive: [], peaks: []};
    const place = (parent, from, row, beside) => {
      for (const stage of at.stages) {
        if ((stage[1] ?? '') !== parent || stage[0] === parent || Boolean(stage[8]) !== beside) continue;
        if (stage[3] === null) {
          made.unknown.push(stage[0]);
          continue;
        }
        add_stage(made, stage, row, from);
        if (row < 12) place(stage[0], from, row + 1, beside);
        from += stage[3];
      }
      return from;
    };
    let end = place('', 0, 0, false), level = 0, from = 0;
    if (at.stages.some((stage) => stage[8])) {
      const row = 1 + Math.max(0, ...made.items.map((item) => item.row));
      made.lanes.push({row, text: 'on other threads beside it'});
      end = Math.max(end, place('', 0, row + 1, true));
    }
    for (const [, parent, , wall, , net, peak, , beside] of at.stages) {
      if (parent || beside || wall === null) continue;
      if (net !== null && peak !== null && (net !== 0 || peak !== 0)) {
        made.peaks.push([from, from + wall, (level + peak) / 2 ** 20]);
        made.alive.push([from, level / 2 ** 20], [from + wall, (level + net) / 2 ** 20]);
        level += net;
      }
      from += wall;
    }
    return {...made, end, note: 'Medians over the runs, laid end to end in the order in which the stages were first entered: ' +
      'when each began is in a trace alone (aqbench profile --trace).'};
  }

  // The events of a trace, at the time at which they were.
  function of_trace({trace}) {
    const rows = trace.lanes.map((_, lane) => 1 + Math.max(-1, ...trace.events.filter((event) => event[1] === lane)
      .map((event) => event[2])));
    const several = trace.lanes.length > 1, first = [], lanes = [];
    rows.reduce((row, count, lane) => {
      if (several) lanes.push({row, text: trace.lanes[lane]});
      first.push(row + (several ? 1 : 0));
      return first[lane] + count;
    }, 0);
    const begin = Math.min(...trace.events.map((event) => event[3]), Infinity);
    const items = trace.events.map(([name, lane, level, start, duration]) => {
      const from = (start - begin) / 1000, to = (start - begin + duration) / 1000;
      return {from, to, row: first[lane] + level, level, name: trace.names[name], colour: stage_colour(trace.names[name]),
        text: `${trace.names[name]}: ${time(to - from)}, from ${time(from)} on` +
          (several ? `, ${trace.lanes[lane]}` : '')};
    });
    const left_out = trace.left_out > 0 ? ` The ${trace.left_out} shortest stages are not shown.` : '';
    return {items, lanes, unknown: [], peaks: [], alive: trace.memory.map(([us, megabytes]) => [(us - begin) / 1000, megabytes]),
      end: Math.max(0, ...items.map((item) => item.to)), note: 'One run, as it was traced.' + left_out};
  }

  // The memory over the same axis: `alive` as a line of steps, `peaks` as areas.
  function memory_picture({alive, peaks}) {
    const most = Math.max(...alive.map(([, size]) => size), ...peaks.map(([, , size]) => size));
    const low = Math.min(0, ...alive.map(([, size]) => size));
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const shape = (kind) => svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'path')).setAttribute('class', kind);
    const text = `Tensor memory that is alive: at most ${round(most)} MiB.` + (peaks.length === 0 ? ''
      : ' Area: the most within a stage; line: what is left between stages.');
    for (const [name, value] of [['viewBox', '0 0 1000 100'], ['preserveAspectRatio', 'none'], ['role', 'img'],
      ['aria-label', text]]) svg.setAttribute(name, value);
    shape('area');
    shape('line');
    const draw = ([from, to]) => {
      const x = (ms) => (1000 * Math.min(1.1, Math.max(-0.1, (ms - from) / (to - from)))).toFixed(1);
      const y = (size) => (98 - 96 * (size - low) / Math.max(most - low, 1e-9)).toFixed(1);
      svg.children[0].setAttribute('d', peaks.map(([a, b, size]) => `M${x(a)} ${y(low)}V${y(size)}H${x(b)}V${y(low)}Z`).join(''));
      svg.children[1].setAttribute('d', alive.map(([ms, size], i) => i === 0 ? `M${x(ms)} ${y(size)}`
        : `H${x(ms)}V${y(size)}`).join('') + (alive.length > 0 ? `H${x(Math.max(to, alive.at(-1)[0]))}` : ''));
    };
    return {picture: make('div', {class: 'memory'}, svg, make('p', {class: 'dim'}, text)), draw};
  }

  function timeline(at, made, end) {
    const whole = at.peak_rss ? ` The process took at most ${mib(at.peak_rss)} MiB in all.` : '';
    const memory = made.alive.some(([, size]) => size !== 0) || made.peaks.length > 0 ? memory_picture(made) : null;
    const [unit, ms] = unit_of(end);
    const tick = (value, apart) => `${Number((value / ms).toFixed(Math.min(9, Math.max(0, 1 - Math.floor(Math.log10(apart / ms))))))} ${unit}`;
    const {box} = bars.chart({label: `stages of ${at.label}`, items: made.items, lanes: made.lanes, extent: [0, end], amount: time,
      tick, on_view: memory?.draw});
    const unknown = made.unknown.length > 0 ? ` Without a time (n/a): ${made.unknown.join(', ')}.` : '';
    return make('div', {class: 'plot'}, make('h3', {}, at.label), make('p', {class: 'dim'}, made.note + unknown),
      made.items.length > 0 ? box : '', memory ? memory.picture
        : make('p', {class: 'dim'}, 'No memory of tensors was observed in these stages.'), whole ? make('p', {class: 'dim'}, whole) : '');
  }

  // Makes two choices of a case, the second one may be none, and calls draw(a, b) with every change.
  function chooser(target, cases, [label_a, label_b], draw) {
    const option = (at, i) => make('option', {value: i}, at.label);
    const a = make('select', {onchange: () => show()}, ...cases.map(option));
    const b = make('select', {onchange: () => show()}, make('option', {value: -1}, 'none'), ...cases.map(option));
    const tools = make('div', {class: 'tools'}, make('label', {}, label_a, a));
    if (cases.length > 1) tools.append(make('label', {}, label_b, b));
    const show = () => draw(cases[Number(a.value)], cases[Number(b.value)] ?? null);
    target.append(tools);
    return {tools, show, choose: (first, second) => {
      [a.value, b.value] = [first, second];
      show();
    }};
  }

  // Shows the first case, on a page over two bundles the worst one beside the same case of the other.
  function first_choice(cases, choose) {
    const first = Math.max(0, cases.findIndex((at) => at.name === 'A: ' + data.worst)), twin = 'B: ' + cases[first].name.slice(3);
    choose(first, data.pairs ? cases.findIndex((at) => at.name === twin) : -1);
  }

  function start_timeline(target) {
    const cases = data.cases.filter((at) => at.stages?.length > 0 || at.trace?.events.length > 0);
    if (cases.length === 0) return;
    const picture = make('div'), traced = make('input', {type: 'checkbox', checked: true, onchange: () => show()});
    const made_of = (at) => at.trace?.events.length > 0 && (traced.checked || !(at.stages?.length > 0)) ? of_trace(at) : of_medians(at);
    const {tools, show, choose} = chooser(target, cases, ['stages of ', 'beside '], (a, b) => {
      const shown = [a, b].filter((at) => at !== null).map((at) => ({at, made: made_of(at)}));
      const end = Math.max(...shown.map(({made}) => made.end), 1e-6);
      picture.replaceChildren(...shown.map(({at, made}) => timeline(at, made, end)));
    });
    if (cases.some((at) => at.trace?.events.length > 0)) tools.append(make('label', {}, traced, ' the traced run, where there is one'));
    target.append(picture);
    first_choice(cases, choose);
  }

  // ---- Samples ----

  // Returns the frames of stacks as bars, with `path`, which says where they were called from, and `self`, the samples in
  // which they were the innermost.
  function frames_of(stacks) {
    const next = [0], items = [], open = [];
    for (const [name, level, samples] of stacks.frames) {
      const from = next[level] ?? 0;
      open.length = level;
      if (level > 0) open[level - 1].self -= samples;
      const item = {from, to: from + samples, row: level, level, samples, self: samples, name: stacks.names[name],
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
    const {box} = bars.chart({label: `processor time of ${at.label}`, items, extent: [0, stacks.samples],
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
    const cell = (text, i) => i === 0 ? make('td', {}, text) : make('td', {'data-label': titles[i]}, text);
    return make('div', {class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'functions by their own share'},
      make('h3', {}, b ? 'Functions whose own share changed most' : 'Functions with the largest share of their own'),
      make('table', {class: 'cards'}, make('thead', {}, make('tr', {}, ...titles.map((text) => make('th', {scope: 'col'}, text)))),
        make('tbody', {}, ...rows.slice(0, 10).map(([name, of_first, of_second]) => make('tr', {},
          ...(b ? [name, percent(of_first), percent(of_second), points(of_second - of_first)] : [name, percent(of_first)]).map(cell))))));
  }

  function start_flames(target) {
    const cases = data.cases.filter((at) => at.stacks);
    if (cases.length === 0) return null;
    const picture = make('div'), table = make('div');
    const choice = chooser(target, cases, ['case A ', 'against it B '], (a, b) => {
      picture.replaceChildren(flames(a, null), ...(b ? [flames(b, a)] : []));
      table.replaceChildren(hottest(a, b));
    });
    target.append(picture, table);
    first_choice(cases, choice.choose);
    return choice;
  }

  const tree = document.getElementById('stage-tree'), flame_section = document.getElementById('flames');
  if (tree) start_timeline(tree);
  const flame_choice = flame_section ? start_flames(flame_section) : null;
  return {of_medians, of_trace, frames_of, self_shares, flame_choice};
})();
