// What report.html does besides being read: tables sort and filter; every number opens its case
// with the definition and the command that gives it again. Without this file the page stays as it is.
'use strict';
const aqbench = (() => {
  const data = {cases: [], metrics: [], ...JSON.parse(document.getElementById('aqbench-data')?.textContent ?? '{}')};

  // Makes an element: make('td', {class: 'bad'}, 'text', child, ...).
  const make = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

  // Makes an element of a drawing.
  const draw = (tag, attributes, ...children) =>
    filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

  function filled(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes))
      if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
      else if (value !== false && value !== null) element.setAttribute(name, value === true ? '' : value);
    element.append(...children);
    return element;
  }

  // A choice between values and their texts, and its label.
  function choice(label, options, onchange) {
    const select = make('select', {onchange}, ...options.map(([value, text]) => make('option', {value}, text)));
    return {select, label: make('label', {}, label + ' ', select)};
  }

  // A table that is a card for each row where there is no room for it; each row is a list of cells.
  const table_of = (label, titles, rows) => make('div', {class: 'wide', tabindex: '0', role: 'region', 'aria-label': label},
    make('table', {class: 'cards'}, make('thead', {}, make('tr', {}, ...titles.map((text) => make('th', {scope: 'col'}, text)))),
      make('tbody', {}, ...rows.map(([attributes, ...cells]) => make('tr', attributes, ...cells.map((cell, i) =>
        make('td', {'data-label': i > 0 && titles[i]}, ...[cell].flat())))))));

  const number = (value) => value === null || value === undefined ? 'n/a'
    : Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));

  // The key a cell is sorted by: its number, else its text. What is not there comes last either way.
  function cell_key(cell) {
    const text = cell?.textContent.trim() ?? '';
    if (text === '' || text === 'n/a') return null;
    const value = Number(text.replace(/[ %*]|ms$|mm$/g, ''));
    return Number.isNaN(value) ? text.toLowerCase() : value;
  }

  // Returns the order of keys: numbers before texts, null last.
  function order_of_keys(a, b, descending) {
    if (a === null || b === null) return (a === null) - (b === null);
    const sign = descending ? -1 : 1;
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
    return sign * a.localeCompare(b, 'en', {numeric: true});
  }

  // Returns whether a row with this text passes a filter: all words must be in it, "-word" must not.
  function passes(text, filter) {
    const low = text.toLowerCase();
    return filter.toLowerCase().split(/\s+/).filter(Boolean).every(
      (word) => word.length > 1 && word[0] === '-' ? !low.includes(word.slice(1)) : low.includes(word));
  }

  function sort_table(table, column, header) {
    const descending = header.getAttribute('aria-sort') === 'ascending';
    for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
    header.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row, place) => ({row, place, key: cell_key(row.cells[column])}));
    rows.sort((a, b) => order_of_keys(a.key, b.key, descending) || a.place - b.place);
    body.append(...rows.map(({row}) => row));
  }

  function enliven_table(table) {
    const count = make('span', {class: 'dim', 'aria-live': 'polite'});
    const show_count = () => {
      const shown = [...table.tBodies[0].rows].filter((row) => !row.hidden).length;
      count.textContent = `${shown} of ${table.tBodies[0].rows.length} rows`;
    };
    const filter = make('input', {type: 'search', placeholder: 'undulating -sparse', oninput: () => {
      for (const row of table.tBodies[0].rows)
        row.hidden = !passes(row.textContent + ' ' + (row.title || ''), filter.value);
      show_count();
    }});
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const label = header.textContent;
      header.replaceChildren(
        make('button', {class: 'sort', type: 'button', onclick: () => sort_table(table, column, header)},
          label.replace('-', '\u2011')));  // not broken at its hyphen
    });
    if (table.tBodies[0].rows.length > 3) table.closest('.wide').before(make('div', {class: 'tools'}, make('label', {}, 'filter ', filter), count));
    show_count();
  }

  function copy_button(text) {
    const button = make('button', {type: 'button', onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'copied';
      } catch {
        button.textContent = 'select it by hand: this page may not copy';
      }
    }}, 'copy');
    return button;
  }

  const better_text = {lower: 'less is better', higher: 'more is better', equal: 'should stay'};

  function metric_rows(at, here) {
    return data.metrics.flatMap((metric, index) => {
      const value = at.values[index];
      if (value === undefined) return [];
      const reason = at.why?.[metric[0]];
      const gate = data.gate?.find((row) => row[0] === at.name && row[1] === metric[0]);
      return [[index === here ? {class: 'here', id: 'here'} : {}, metric[0],
        [`${number(value)} ${value === null ? '' : metric[1]}`, reason ? make('div', {class: 'dim'}, reason) : ''],
        gate ? `${gate[2]}; accepted ${number(gate[3])}` : '', `${metric[3]} (${better_text[metric[2]] ?? metric[2]})`]];
    });
  }

  const dialog = make('dialog', {'aria-labelledby': 'case-title'});

  // Opens a case; `here` is the index of the metric that was asked for, -1 for none.
  function open_case(index, here = -1) {
    const at = data.cases[index];
    if (!at) return;
    const title = make('h2', {id: 'case-title'}, at.name);
    const rows = metric_rows(at, here);
    dialog.replaceChildren(
      make('button', {type: 'button', onclick: () => dialog.close()}, 'close (Esc)'), title,
      make('p', {}, `status: ${at.status}${at.reason ? ': ' + at.reason : ''}`),
      ...(at.command ? [make('h3', {}, 'Run it again and compare bit for bit (in the folder of this bundle)'), make('pre', {}, at.command), copy_button(at.command)] : []));
    if (rows.length > 0)
      dialog.append(make('h3', {}, 'Values and what they mean'),
        table_of('values of the case', ['metric', 'value', 'gate', 'definition'], rows));
    if (at.options)
      dialog.append(make('h3', {}, 'Options as they took effect'), make('pre', {}, at.options.join('\n')));
    if (!dialog.open) dialog.showModal();
    dialog.querySelector('#here')?.scrollIntoView({block: 'center'});
    history.replaceState(null, '', '#case=' + encodeURIComponent(at.name));
  }

  // Returns the text behind a link's percent signs, and the link itself where they stand for nothing ("#case=50%").
  function decoded(link) {
    try {
      return decodeURIComponent(link);
    } catch {
      return link;
    }
  }

  function enliven_cases() {
    const of_name = new Map(data.cases.map((at, index) => [at.name, index]));
    const of_metric = new Map(data.metrics.map((metric, index) => [metric[0], index]));
    for (const row of document.querySelectorAll('tr[data-case]')) {
      const index = of_name.get(row.dataset.case);
      if (index === undefined) continue;
      const first = row.querySelector('[data-open]') ?? row.cells[0];
      const open = make('button', {class: 'plain', type: 'button', onclick: () => open_case(index)});
      open.append(...first.childNodes);
      first.replaceChildren(open);
      for (const cell of row.querySelectorAll('td[data-metric]')) {
        cell.addEventListener('click', () => open_case(index, of_metric.get(cell.dataset.metric) ?? -1));
      }
    }
    // A cell of methods and scenes: its case beside the best one in the 3D view, or else its values.
    for (const cell of document.querySelectorAll('td[data-case]')) {
      const {case: name, against} = cell.dataset;
      const open = make('button', {class: 'plain', type: 'button', onclick: () => {
        if (!aqbench.show_beside?.(name, against)) open_case(of_name.get(name) ?? -1);
      }});
      open.append(...cell.childNodes);
      cell.replaceChildren(open);
    }
    const open_linked = () => {
      const wanted = /^#case=(.*)$/.exec(location.hash);
      if (wanted) open_case(of_name.get(decoded(wanted[1])) ?? -1);
    };
    addEventListener('hashchange', open_linked);
    open_linked();
  }

  // Starts what draws in a section when that comes near.
  function when_near(section, start_drawing) {
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      start_drawing();
    }, {rootMargin: '400px'});
    watch.observe(section);
  }

  // The sections of a long page, which stay in view.
  function add_contents() {
    const sections = [...document.querySelectorAll('main > section[id]')].filter((section) =>
      section.querySelector('h2') && getComputedStyle(section).display !== 'none');
    if (sections.length < 4 || document.querySelector('nav.toc')) return;
    document.querySelector('main').prepend(make('nav', {class: 'toc', 'aria-label': 'sections of this page'},
      ...sections.map((section) => make('a', {href: '#' + section.id}, section.querySelector('h2').textContent))));
  }

  function start() {
    document.documentElement.classList.add('js');
    document.querySelector('main').append(dialog);
    for (const table of document.querySelectorAll('table.lively')) enliven_table(table);
    enliven_cases();
    add_contents();
  }

  return {data, make, draw, choice, when_near, table_of, number, order_of_keys, cell_key, passes, decoded, start};
})();
aqbench.start();
