
{
  // A text with mentions, as `scorer.show.viewer` makes it. Only what is near the view is laid out: a block holds about UNITS units,
  // is filled when it comes near and emptied when it is far. What untrusted users wrote becomes text nodes, and nothing else.
  const UNITS = 160;
  const NEAR = "1000px 0px";
  const COLOURS = 12;
  const LANE = 4;
  const LANES = 8;
  const SHOWN = 200;
  const narrow = matchMedia("(max-width: 60rem)");
  const HITS = 10000;
  const $ = (id) => document.getElementById(id);
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const shape = (kind) => {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    const use = document.createElementNS(space, "use");
    use.setAttribute("href", `#shape-${data.kinds[kind].shape}`);
    svg.setAttribute("class", "shape");
    svg.setAttribute("aria-hidden", "true");
    svg.append(use);
    return svg;
  };
  const amount = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
  const data = JSON.parse($("data").textContent);
  const texts = data.documents;
  const SIDES = ["key", "response"];

  // Documents ---------------------------------------------------------------------------------------------------------

  // No space stands between two words of a script that is written without.
  const spaceless = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\u3000-\u303f\uff00-\uffef]`;
  const [begins, ends] = [new RegExp(`^${spaceless}`, "u"), new RegExp(`${spaceless}$`, "u")];
  const gap = (one, other) => {
    // Nearly all text is of other scripts, and seen to be at once.
    if (one.charCodeAt(one.length - 1) < 0xe00 || other.charCodeAt(0) < 0xe00) return " ";
    return ends.test(one) && begins.test(other) ? "" : " ";
  };
  const fromRight = /[\p{scx=Hebr}\p{scx=Arab}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}]/u;
  const directionOf = (text, from, to) => {
    for (let unit = from; unit < to; unit += 1) {
      const letter = /\p{L}/u.exec(text.words[unit])?.[0];
      if (letter) return fromRight.test(letter) ? "rtl" : "ltr";
    }
    return "ltr";
  };

  const errors = [];
  texts.forEach((text, at) => {
    text.at = at;
    text.blocks = [];
    let unit = 0;
    let lines = [];
    let held = 0;
    const close = () => {
      if (lines.length) text.blocks.push({ text, lines, from: lines[0].from, to: lines.at(-1).to, marked: [], filled: false });
      [lines, held] = [[], 0];
    };
    text.sentences.forEach((length, sentence) => {
      for (let done = 0; done < length; done += UNITS) {
        const to = Math.min(length, done + UNITS);
        if (held && held + to - done > UNITS) close();
        lines.push({ sentence, from: unit + done, to: unit + to, goesOn: done > 0 });
        held += to - done;
      }
      unit += length;
    });
    close();
  });

  // What else is made of a document: the mentions of each cluster, where each block begins among them, and the errors by the first unit
  // of their first mention (`marks`) and by mention, on the side that has it (`wrong`).
  for (const text of texts) {
    const rows = text.first.length;
    text.clusters = [[text.key, text.keys], [text.response, text.responses]].map(([side, labels]) => {
      const clusters = labels.map(() => []);
      side.forEach((cluster, row) => cluster >= 0 && clusters[cluster].push(row));
      return clusters;
    });
    text.names = [[], []];
    text.faintUnits = new Set(text.faint);
    let row = 0;
    for (const block of text.blocks) {
      while (row < rows && text.last[row] < block.from) row += 1;
      block.earliest = row;
    }
    text.marks = new Map();
    text.wrong = [new Map(), new Map()];
    for (const [kind, side, key, response, rows] of text.errors) {
      const number = errors.length;
      errors.push({ text, kind, key, response, rows });
      rows.forEach((mention, place) => {
        const own = text[SIDES[side]][mention] >= 0 ? side : 1 - side;
        if (!text.wrong[own].has(mention)) text.wrong[own].set(mention, number);
        if (place) return;
        const unit = text.first[mention];
        text.marks.set(unit, [...(text.marks.get(unit) ?? []), number]);
      });
    }
  }
  const labelOf = (text, side, cluster) => (cluster < 0 ? "—" : (side ? text.responses : text.keys)[cluster]);
  const colourOf = (text, side, cluster) => (side ? text.colours[cluster] : cluster) % COLOURS;
  const stretches = (text, row) => text.parts[row] ?? [[text.first[row], text.last[row]]];
  const joined = (text, from, to) => {
    let said = "";
    for (let unit = from; unit <= to; unit += 1) said += (unit > from ? gap(text.words[unit - 1], text.words[unit]) : "") + text.words[unit];
    return said;
  };
  const said = (text, row) => {
    const whole = stretches(text, row).map(([from, to]) => joined(text, from, Math.min(to, from + 40)) + (to > from + 40 ? " …" : "")).join(" … ");
    return whole.length > 80 ? `${whole.slice(0, 78)}…` : whole;
  };
  const types = data.facets.findIndex((facet) => facet.name === "type");
  // The most frequent name, else the first nominal, else the first mention with a word.
  const nameOf = (text, side, cluster) => {
    const rows = text.clusters[side][cluster];
    const known = text.names[side];
    if (known[cluster] !== undefined) return known[cluster];
    const ofType = (wanted) => types < 0 ? [] : rows.filter((row) => data.facets[types].values[text.facets[types][row]] === wanted);
    const counts = new Map();
    for (const row of ofType("name")) counts.set(said(text, row), (counts.get(said(text, row)) ?? 0) + 1);
    const best = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), ["", 0])[0];
    const first = ofType("nominal")[0] ?? rows.find((row) => !text.faintUnits.has(text.first[row])) ?? rows[0];
    return (known[cluster] = best || (first === undefined ? "(nothing in the text)" : said(text, first)));
  };

  // State -------------------------------------------------------------------------------------------------------------

  const state = { hidden: new Set(), facets: data.facets.map(() => -1), document: -1, entity: null, query: "", error: -1, hit: -1, open: null, at: null };
  let lit = null;
  let hits = [];
  let found = null;

  const inEntity = (text, row) => !state.entity || (text.at === state.entity.at && text[SIDES[state.entity.side]][row] === state.entity.cluster);
  const rowPasses = (text, row) => inEntity(text, row) && state.facets.every((value, at) => value < 0 || text.facets[at][row] === value);
  const passes = (number) => {
    const error = errors[number];
    if (state.hidden.has(error.kind) || !error.rows.length || (state.document >= 0 && state.document !== error.text.at)) return false;
    const { entity } = state;
    if (entity && (error.text.at !== entity.at || (error[SIDES[entity.side]] !== entity.cluster && !error.rows.some((row) => inEntity(error.text, row))))) return false;
    return state.facets.every((value, at) => value < 0 || error.rows.some((row) => error.text.facets[at][row] === value));
  };
  const listed = () => {
    if (found) return found;
    found = [];
    for (let number = 0; number < errors.length; number += 1) if (passes(number)) found.push(number);
    return found;
  };

  // Layout ------------------------------------------------------------------------------------------------------------

  const place = $("text");
  const owners = new WeakMap();
  const filled = new Set();

  const patterns = [
    (colour) => [`linear-gradient(${colour},${colour})`, 2],
    (colour) => [`repeating-linear-gradient(90deg,${colour} 0 5px,transparent 5px 9px)`, 2],
    (colour) => [`repeating-linear-gradient(90deg,${colour} 0 2px,transparent 2px 5px)`, 2],
    (colour) => [`linear-gradient(${colour} 0 1px,transparent 1px 2px,${colour} 2px)`, 3],
    (colour) => [`repeating-linear-gradient(90deg,${colour} 0 7px,transparent 7px 9px,${colour} 9px 11px,transparent 11px 13px)`, 2],
  ];
  // Of marks that overlap the outer one stands farther from the text; one by itself next to it.
  const levelled = (marks) => {
    marks.sort((a, b) => a.from - b.from || b.to - a.to);
    let ends = [];
    let group = [];
    const close = () => {
      const highest = Math.min(ends.length, LANES) - 1;
      for (const mark of group) mark.level = highest - mark.lane;
      [ends, group] = [[], []];
    };
    for (const mark of marks) {
      if (ends.every((end) => end < mark.from)) close();
      let lane = ends.findIndex((end) => end < mark.from);
      if (lane < 0) lane = Math.min(ends.length, LANES - 1);
      ends[lane] = Math.max(mark.to, ends[lane] ?? -1);
      mark.lane = lane;
      group.push(mark);
    }
    close();
  };
  const marksOf = (block) => {
    const { text } = block;
    const sides = [[], []];
    for (let row = block.earliest; row < text.first.length && text.first[row] < block.to; row += 1) {
      if (text.last[row] < block.from) continue;
      for (const [from, to] of stretches(text, row)) {
        if (to < block.from || from >= block.to) continue;
        SIDES.forEach((name, side) => text[name][row] >= 0 && sides[side].push({ row, side, from, to }));
      }
    }
    sides.forEach(levelled);
    const cover = Array.from({ length: block.to - block.from }, () => []);
    for (const mark of sides.flat()) {
      const number = text.wrong[mark.side].get(mark.row);
      // Dashes where the response lacks a mention, dots where the key does, also where that is no error by itself.
      const isLone = data.sides > 1 && text[SIDES[1 - mark.side]][mark.row] < 0;
      mark.pattern = number !== undefined && passes(number) ? 1 + data.kinds[errors[number].kind].pattern : isLone ? 1 + mark.side : 0;
      mark.colour = rowPasses(text, mark.row) ? `var(--e${colourOf(text, mark.side, text[SIDES[mark.side]][mark.row])})` : "var(--line)";
      const to = Math.min(mark.to, block.to - 1);
      for (let unit = Math.max(mark.from, block.from); unit <= to; unit += 1) if (cover[unit - block.from].length < 4 * LANES) cover[unit - block.from].push(mark);
    }
    return cover;
  };
  const draw = (made, marks, unit, isGap, above, below, direction) => {
    const [images, positions, sizes] = [[], [], []];
    for (const { side, from, to, level, pattern, colour } of marks) {
      const [image, height] = patterns[pattern](colour);
      const begins = !isGap && unit === from ? 1.5 : 0;
      const ends = !isGap && unit === to ? 1.5 : 0;
      images.push(image);
      sizes.push(`calc(100% - ${begins + ends}px) ${height}px`);
      const y = side ? `calc(100% - ${(below - 1 - level) * LANE}px)` : `${(above - 1 - level) * LANE}px`;
      positions.push(`${direction === "rtl" ? ends : begins}px ${y}`);
    }
    made.style.backgroundImage = images.join();
    made.style.backgroundPosition = positions.join();
    made.style.backgroundSize = sizes.join();
  };
  const hasHits = ({ text, from, to }) => {
    if (text.hits) for (let unit = from; unit < to; unit += 1) if (text.hits.has(unit)) return true;
    return false;
  };
  const fill = (block) => {
    const { text } = block;
    const cover = marksOf(block);
    const made = document.createDocumentFragment();
    block.marked = [];
    for (const line of block.lines) {
      let [above, below] = [0, 0];
      for (let unit = line.from; unit < line.to; unit += 1) {
        for (const { side, level } of cover[unit - block.from]) side ? (below = Math.max(below, level + 1)) : (above = Math.max(above, level + 1));
      }
      const direction = directionOf(text, line.from, line.to);
      const sentence = element("p", { className: line.goesOn ? "s on" : "s", dir: direction });
      if (!line.goesOn) sentence.dataset.number = line.sentence + 1;
      sentence.style.setProperty("--above", above);
      sentence.style.setProperty("--below", below);
      owners.set(sentence, { text, unit: line.from });
      let plain = "";
      const flush = () => { if (plain) sentence.append(plain); plain = ""; };
      for (let unit = line.from; unit < line.to; unit += 1) {
        const marks = cover[unit - block.from];
        for (const number of text.marks.get(unit) ?? []) {
          if (!passes(number)) continue;
          const error = errors[number];
          // A span and not a button, whose box would not be that of the words: lines of mentions go through it.
          const button = element("span", { className: "error", title: data.kinds[error.kind].name }, shape(error.kind));
          button.setAttribute("role", "img");
          button.setAttribute("aria-label", data.kinds[error.kind].name);
          draw(button, marks.filter((mark) => mark.from < unit), unit, true, above, below, direction);
          owners.set(button, { text, number, rows: error.rows });
          block.marked.push({ made: button, text, rows: error.rows, number });
          flush();
          sentence.append(button);
        }
        const hit = text.hits?.has(unit);
        const isFaint = text.faintUnits.has(unit);
        if (marks.length || hit || isFaint) {
          const word = element("span", { className: marks.length ? "m" : "w" }, text.words[unit]);
          if (hit) word.classList.add("hit");
          if (isFaint) word.classList.add("faint");
          draw(word, marks, unit, false, above, below, direction);
          const rows = [...new Set(marks.map((mark) => mark.row))];
          owners.set(word, { text, unit, rows });
          block.marked.push({ made: word, text, rows, unit });
          flush();
          sentence.append(word);
        } else plain += text.words[unit];
        if (unit + 1 < line.to) {
          const between = gap(text.words[unit], text.words[unit + 1]);
          const both = between ? marks.filter((mark) => mark.to > unit) : [];
          if (both.length) {
            const space = element("span", { className: "m" }, between);
            draw(space, both, unit, true, above, below, direction);
            const rows = [...new Set(both.map((mark) => mark.row))];
            owners.set(space, { text, unit, rows });
            block.marked.push({ made: space, text, rows, unit: -1 });
            flush();
            sentence.append(space);
          } else plain += between;
        }
      }
      flush();
      made.append(sentence);
    }
    block.made.replaceChildren(made);
    block.made.style.minHeight = "";
    block.filled = true;
    block.hasHits = hasHits(block);
    filled.add(block);
    light([block]);
  };
  const empty = (block) => {
    if (!block.filled) return;
    block.made.style.minHeight = `${block.made.offsetHeight}px`;
    block.made.replaceChildren();
    block.marked = [];
    block.filled = false;
    filled.delete(block);
  };
  // What is lit is a class on what is laid out.
  const light = (blocks) => {
    const current = state.error >= 0 ? errors[state.error] : null;
    for (const block of blocks) {
      for (const { made, text, rows, number, unit } of block.marked) {
        const inside = lit && lit.text === text;
        const inKey = Boolean(inside && lit.key >= 0 && rows.some((row) => text.key[row] === lit.key));
        const inResponse = Boolean(inside && lit.response >= 0 && rows.some((row) => text.response[row] === lit.response));
        const { classList } = made;
        classList.toggle("in-key", inKey);
        classList.toggle("in-response", inResponse);
        const ofError = current && current.text === text;
        classList.toggle("current", Boolean(ofError && (number === undefined ? rows.some((row) => current.rows.includes(row)) : number === state.error)));
        classList.toggle("here", unit !== undefined && state.hit >= 0 && hits[state.hit]?.text === text && unit >= hits[state.hit].from && unit <= hits[state.hit].to);
      }
    }
  };
  const again = (changed = () => true) => [...filled].filter(changed).forEach(fill);

  let printing = false;
  const blockOf = new WeakMap();
  const observer = new IntersectionObserver((entries) => {
    if (printing) return;
    for (const { target, isIntersecting } of entries) {
      const block = blockOf.get(target);
      if (!isIntersecting) empty(block);
      else if (!block.filled) fill(block);
    }
    aim?.();
  }, { rootMargin: NEAR });

  const build = () => {
    const width = place.clientWidth || 600;
    const made = document.createDocumentFragment();
    for (const text of texts) {
      const heading = element("h2", {}, element("bdi", {}, text.name));
      text.made = element("section", { className: "document" }, heading);
      if (text.note) text.made.append(element("p", { className: "note" }, text.note));
      if (text.loose.length) {
        const names = text.loose.slice(0, SHOWN).map(([name, key, response]) => `${name} (${data.sides > 1 ? `key ${labelOf(text, 0, key)}, response ${labelOf(text, 1, response)}` : labelOf(text, 0, key)})`);
        if (text.loose.length > SHOWN) names.push(`and ${text.loose.length - SHOWN} more`);
        text.made.append(element("p", { className: "faint" }, `mentions without a place in the text: ${names.join(", ")}`));
      }
      for (const block of text.blocks) {
        block.made = element("div", { className: "block" });
        const lines = block.lines.reduce((sum, { from, to }) => sum + Math.ceil(((to - from) * 46) / width), 0);
        block.made.style.minHeight = `${lines * 32}px`;
        blockOf.set(block.made, block);
        text.made.append(block.made);
      }
      made.append(text.made);
    }
    place.append(made);
    for (const text of texts) for (const block of text.blocks) observer.observe(block.made);
  };

  const blockAt = (text, unit) => {
    let [low, high] = [0, text.blocks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (text.blocks[middle].from <= unit) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  // Where the view was sent stays in its place while blocks around it are laid out, until somebody scrolls.
  let aim = null;
  const send = (there) => { aim = there; aim(); };
  for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) addEventListener(kind, () => { aim = null; }, { passive: true, capture: true });
  const reveal = (text, unit, where = "center") => {
    if (!text.blocks.length) return text.made.scrollIntoView();
    const at = blockAt(text, unit);
    const block = text.blocks[at];
    for (const one of [text.blocks[at - 1], block, text.blocks[at + 1]]) if (one && !one.filled) fill(one);
    const line = block.lines.findIndex(({ from, to }) => from <= unit && unit < to);
    send(() => {
      const word = block.marked.find((one) => one.unit === unit)?.made;
      (word ?? block.made.children[line] ?? block.made).scrollIntoView({ block: where, inline: "nearest" });
    });
  };

  // A browser that is on its way there by itself comes to stand elsewhere where blocks are laid out meanwhile.
  const toEdge = (isEnd) => send(() => scrollTo({ top: isEnd ? document.documentElement.scrollHeight : 0, behavior: "instant" }));

  // What is said at the foot ------------------------------------------------------------------------------------------

  const bar = $("said");
  const entitySaid = (text, side, cluster) => {
    if (cluster < 0) return `${SIDES[side]} —`;
    const size = text.clusters[side][cluster].length;
    return `${data.sides > 1 ? `${SIDES[side]} ` : ""}${labelOf(text, side, cluster)} “${nameOf(text, side, cluster)}” (${amount(size, "mention")})`;
  };
  const lineOf = (text, row) => {
    const lines = [["key", text.keyLine[row]], ["response", text.responseLine[row]]].filter(([, line]) => line > 0);
    return lines.map(([side, line]) => (data.sides > 1 ? `${side} line ${line}` : `line ${line}`)).join(", ");
  };
  const tell = (...parts) => bar.replaceChildren(...parts.filter(Boolean).flatMap((part, at) => (at ? [" · ", part] : [part])));
  const tellRow = (text, row) => {
    const kinds = [0, 1].flatMap((side) => data.kinds[errors[text.wrong[side].get(row)]?.kind]?.name ?? []);
    const entities = SIDES.slice(0, data.sides).map((name, side) => entitySaid(text, side, text[name][row]));
    tell(element("b", {}, element("bdi", {}, said(text, row))), ...entities, [...new Set(kinds)].join(", "), lineOf(text, row));
  };
  const tellError = () => {
    const list = listed();
    if (state.error < 0) return tell(errors.length ? `${amount(list.length, "error")}${list.length < errors.length ? ` of ${errors.length.toLocaleString("en")}` : ""}` : "");
    const { text, kind, key, response, rows } = errors[state.error];
    const at = list.indexOf(state.error);
    const which = at < 0 ? "" : `${(at + 1).toLocaleString("en")} of ${list.length.toLocaleString("en")}`;
    const more = rows.length > 1 ? ` and ${amount(rows.length - 1, "more mention")}` : "";
    const head = element("span", {}, shape(kind), element("b", {}, data.kinds[kind].name), " ", element("bdi", {}, said(text, rows[0])), more);
    tell(which, head, entitySaid(text, 0, key), entitySaid(text, 1, response), lineOf(text, rows[0]));
  };

  // Errors, search, entities ------------------------------------------------------------------------------------------

  const chain = (text, row) => ({ text, key: text.key[row], response: text.response[row] });
  const goTo = (number) => {
    state.error = number;
    const { text, rows, key, response } = errors[number];
    const own = chain(text, rows[0]);
    lit = { text, key: own.key >= 0 ? own.key : key, response: own.response >= 0 ? own.response : response };
    reveal(text, text.first[rows[0]]);
    light(filled);
    tellError();
    keep();
  };
  const step = (direction) => {
    const list = listed();
    if (!list.length) return tell("no error is left by the filters");
    let at = list.indexOf(state.error);
    if (at < 0) {
      const { text, unit } = topmost() ?? { text: texts[0], unit: 0 };
      const after = list.findIndex((number) => {
        const error = errors[number];
        return error.text.at > text.at || (error.text === text && text.first[error.rows[0]] >= unit);
      });
      at = direction > 0 ? (after < 0 ? list.length - 1 : after) : (after < 0 ? list.length : after) - 1;
    } else at += direction;
    goTo(list[Math.max(0, Math.min(list.length - 1, at))]);
  };

  const indexed = (text) => {
    if (text.lower !== undefined) return;
    const begins = new Int32Array(text.words.length + 1);
    const parts = [];
    let length = 0;
    text.words.forEach((word, unit) => {
      const before = unit ? gap(text.words[unit - 1], word) : "";
      const lower = word.toLowerCase();
      begins[unit] = length + before.length;
      length += before.length + lower.length;
      parts.push(before, lower);
    });
    begins[text.words.length] = length;
    [text.lower, text.begins] = [parts.join(""), begins];
  };
  const unitAt = (begins, letter) => {
    let [low, high] = [0, begins.length - 2];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (begins[middle] <= letter) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const search = () => {
    hits = [];
    state.hit = -1;
    const wanted = state.query.trim().toLowerCase().replace(/\s+/g, " ");
    for (const text of texts) {
      text.hits = null;
      if (!wanted || hits.length >= HITS || (state.document >= 0 && state.document !== text.at)) continue;
      indexed(text);
      text.hits = new Set();
      for (let letter = text.lower.indexOf(wanted); letter >= 0 && hits.length < HITS; letter = text.lower.indexOf(wanted, letter + wanted.length)) {
        const [from, to] = [unitAt(text.begins, letter), unitAt(text.begins, letter + wanted.length - 1)];
        hits.push({ text, from, to });
        for (let unit = from; unit <= to; unit += 1) text.hits.add(unit);
      }
    }
    $("hits").textContent = wanted ? `${hits.length < HITS ? amount(hits.length, "place") : `the first ${amount(HITS, "place")}`}; Enter for the next` : "";
  };
  const stepHit = (direction) => {
    if (!hits.length) return;
    if (state.hit < 0) {
      const top = topmost() ?? { text: texts[0], unit: 0 };
      const after = hits.findIndex((one) => one.text.at > top.text.at || (one.text === top.text && one.from >= top.unit));
      state.hit = direction > 0 ? Math.max(after, 0) : (after <= 0 ? hits.length : after) - 1;
    } else state.hit = (state.hit + direction + hits.length) % hits.length;
    const { text, from } = hits[state.hit];
    reveal(text, from);
    light(filled);
    $("hits").textContent = `${(state.hit + 1).toLocaleString("en")} of ${amount(hits.length, "place")}`;
    keep();
  };

  const swatch = (text, side, cluster) => {
    const made = element("i", { className: "swatch" });
    if (cluster >= 0) made.style.backgroundColor = `var(--e${colourOf(text, side, cluster)})`;
    return made;
  };
  // `unit`: what it was opened from, and has to stay in view.
  const open = (at, side, cluster, isNew = true, unit = -1) => {
    state.open = { at, side, cluster };
    const text = texts[at];
    const sheet = $("sheet");
    const other = 1 - side;
    const [own, others] = [text[SIDES[side]], text[SIDES[other]]];
    const rows = text.clusters[side][cluster];
    const counts = new Map();
    for (const row of rows) counts.set(others[row], (counts.get(others[row]) ?? 0) + 1);
    const parts = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const close = element("button", { type: "button", className: "close", title: "close (Esc)" }, "✕");
    close.setAttribute("aria-label", "close");
    close.addEventListener("click", shut);
    const title = element("h2", { id: "sheet-title", tabIndex: -1 }, swatch(text, side, cluster), element("bdi", {}, nameOf(text, side, cluster)));
    const facts = `${data.sides > 1 ? `${SIDES[side]} cluster` : "cluster"} ${labelOf(text, side, cluster)}, ${amount(rows.length, "mention")}, in ${text.name}`;
    const only = element("button", { type: "button" }, "only this entity");
    only.addEventListener("click", () => { state.entity = { at, side, cluster }; refresh(); });
    const made = [element("header", {}, title, close), element("p", { className: "faint" }, facts), element("p", {}, only)];
    // What the other side joins with this entity.
    const joinedTo = data.sides > 1 ? parts.filter(([one]) => one >= 0).map(([one]) => one) : [];
    const all = [...rows];
    if (data.sides > 1) {
      const list = element("ul", { className: "parts" });
      for (const [one, count] of parts) {
        const label = one < 0 ? `not in the ${SIDES[other]}` : `${SIDES[other]} ${labelOf(text, other, one)}`;
        const item = element("li", {}, swatch(text, other, one));
        if (one < 0) item.append(label);
        else {
          const button = element("button", { type: "button", className: "link" }, label);
          button.addEventListener("click", () => open(at, other, one));
          const strange = text.clusters[other][one].length - count;
          item.append(button, " ", element("bdi", {}, nameOf(text, other, one)));
          if (strange) item.append(element("span", { className: "faint" }, ` with ${strange.toLocaleString("en")} of others`));
        }
        item.append(element("b", {}, count.toLocaleString("en")));
        const share = element("meter", { min: 0, max: rows.length, value: count, className: one < 0 ? "lacking" : "" });
        share.setAttribute("aria-label", `${count} of ${rows.length} mentions`);
        item.append(share);
        list.append(item);
      }
      const split = joinedTo.length;
      made.push(element("h3", {}, side ? "Its mentions in the key" : "Its mentions in the response"));
      if (split > 1) made.push(element("p", { className: "split" }, side ? `joins mentions of ${split} entities` : `split among ${split} clusters`));
      made.push(list);
      // Mentions of others that the best cluster of the other side puts among these.
      if (joinedTo.length) for (const row of text.clusters[other][joinedTo[0]]) if (own[row] !== cluster) all.push(row);
      all.sort((a, b) => a - b);
    }
    const list = element("ol", { className: "mentions" });
    const more = element("button", { type: "button" }, "more");
    let shown = 0;
    let before = null;
    const show = () => {
      for (const row of all.slice(shown, shown + SHOWN)) {
        const isStrange = own[row] !== cluster;
        const item = element("li", { className: isStrange ? "strange" : "" });
        if (data.sides > 1) {
          const where = isStrange ? own[row] : others[row];
          const on = isStrange ? side : other;
          const label = where < 0 ? `not in the ${SIDES[on]}` : `${SIDES[on]} ${labelOf(text, on, where)}`;
          if (!isStrange) {
            if (before !== null && before !== where) item.classList.add("turn");
            before = where;
          }
          item.append(element("span", { className: "badge" }, swatch(text, on, where), isStrange ? `merged in: ${label}` : label));
          for (const number of new Set([text.wrong[0].get(row), text.wrong[1].get(row)])) {
            if (number !== undefined) item.append(" ", element("span", { className: "badge", title: data.kinds[errors[number].kind].name }, shape(errors[number].kind), data.kinds[errors[number].kind].name));
          }
        }
        const [from, to] = [text.first[row], text.last[row]];
        const context = element("button", { type: "button", className: "context", dir: directionOf(text, Math.max(0, from - 3), to + 1) });
        const glue = (one, two) => (two < text.words.length && one >= 0 ? gap(text.words[one], text.words[two]) : "");
        context.append(
          joined(text, Math.max(0, from - 8), from - 1) + glue(from - 1, from), element("mark", {}, said(text, row)),
          glue(to, to + 1) + joined(text, to + 1, Math.min(text.words.length - 1, to + 8)),
        );
        context.addEventListener("click", () => { lit = chain(text, row); reveal(text, from); light(filled); tellRow(text, row); });
        item.append(context);
        list.append(item);
      }
      shown += SHOWN;
      more.hidden = shown >= all.length;
      more.textContent = `${amount(Math.max(0, all.length - shown), "more mention")}`;
    };
    more.addEventListener("click", show);
    show();
    made.push(element("h3", {}, "In the text"), list, more);
    sheet.replaceChildren(...made);
    const top = topmost();
    const isWider = sheet.hidden;
    sheet.hidden = false;
    sheet.scrollTop = 0;
    // Beside the sheet the text has less room, and breaks otherwise.
    if (isWider && isNew && unit >= 0) reveal(text, unit, narrow.matches ? "start" : "center");
    else if (isWider && isNew && top) reveal(top.text, top.unit, "start");
    lit = side ? { text, key: joinedTo[0] ?? -1, response: cluster } : { text, key: cluster, response: joinedTo[0] ?? -1 };
    light(filled);
    if (isNew) {
      keep(true);
      title.focus({ preventScroll: true });
    }
  };
  const shut = () => {
    if (!state.open) return;
    state.open = null;
    $("sheet").hidden = true;
    $("sheet").replaceChildren();
    lit = null;
    light(filled);
    keep();
    place.focus({ preventScroll: true });
  };
  const openRow = (text, row) => {
    const side = text.key[row] >= 0 ? 0 : 1;
    open(text.at, side, text[SIDES[side]][row], true, text.first[row]);
  };

  // Filters -----------------------------------------------------------------------------------------------------------

  const ENTITIES = 12;
  const showEntities = () => {
    const wanted = $("entity").value.trim().toLowerCase();
    const all = [];
    for (const text of texts) {
      if (state.document >= 0 && state.document !== text.at) continue;
      text.clusters[0].forEach((rows, cluster) => {
        if (rows.length && (!wanted || text.keys[cluster].toLowerCase() === wanted || nameOf(text, 0, cluster).toLowerCase().includes(wanted))) all.push([rows.length, text, cluster]);
      });
    }
    all.sort((a, b) => b[0] - a[0] || a[1].at - b[1].at || a[2] - b[2]);
    const items = all.slice(0, ENTITIES).map(([size, text, cluster]) => {
      const button = element("button", { type: "button", className: "link" }, swatch(text, 0, cluster), element("bdi", {}, nameOf(text, 0, cluster)));
      button.addEventListener("click", () => { open(text.at, 0, cluster); reveal(text, text.first[text.clusters[0][cluster][0]]); });
      const where = texts.length > 1 && state.document < 0 ? text.name : "";
      return element("li", {}, button, element("span", { className: "faint name", title: where }, where), element("span", { className: "faint" }, size.toLocaleString("en")));
    });
    if (all.length > ENTITIES) items.push(element("li", { className: "faint" }, `and ${(all.length - ENTITIES).toLocaleString("en")} more`));
    $("entities").replaceChildren(...items);
  };
  const showFilters = () => {
    for (const box of document.querySelectorAll(".kinds [data-kind]")) box.checked = !state.hidden.has(Number(box.dataset.kind));
    document.querySelectorAll("#facets select").forEach((select, at) => { select.value = String(state.facets[at]); });
    $("document").value = String(state.document);
    if ($("query").value !== state.query) $("query").value = state.query;
    const chosen = $("chosen");
    chosen.hidden = !state.entity;
    if (state.entity) {
      const { at, side, cluster } = state.entity;
      const remove = element("button", { type: "button" }, "all entities");
      remove.addEventListener("click", () => { state.entity = null; refresh(); });
      chosen.replaceChildren("only ", swatch(texts[at], side, cluster), element("bdi", {}, nameOf(texts[at], side, cluster)), " ", remove);
    }
    for (const text of texts) text.made.hidden = state.document >= 0 && state.document !== text.at;
  };
  const refresh = () => {
    found = null;
    showFilters();
    again();
    tellError();
    keep();
  };

  // The address -------------------------------------------------------------------------------------------------------

  const topmost = () => {
    const box = place.getBoundingClientRect();
    if (box.top > innerHeight || box.bottom < 0) return null;
    for (let y = Math.max(box.top, 0) + 12; y < innerHeight; y += 24) {
      const owner = owners.get(document.elementFromPoint(Math.min(box.left + 60, innerWidth - 10), y)?.closest?.(".s"));
      if (owner) return owner;
    }
    return null;
  };
  const written = () => {
    const terms = new URLSearchParams();
    const triple = ({ at, side, cluster }) => `${at}.${side}.${cluster}`;
    if (state.hidden.size) terms.set("hide", [...state.hidden].sort((a, b) => a - b).join("."));
    state.facets.forEach((value, at) => value >= 0 && terms.set(`f${at}`, value));
    if (state.document >= 0) terms.set("d", state.document);
    if (state.entity) terms.set("e", triple(state.entity));
    if (state.query) terms.set("q", state.query);
    if (state.open) terms.set("open", triple(state.open));
    if (state.error >= 0) terms.set("error", state.error);
    if (state.at) terms.set("at", `${state.at.text.at}.${state.at.unit}`);
    return String(terms);
  };
  let timer = 0;
  let last = "";
  const keep = (isNew = false) => {
    const put = () => {
      const terms = written();
      if (terms === last && !isNew) return;
      last = terms;
      history[isNew ? "pushState" : "replaceState"](null, "", `#${terms}`);
    };
    clearTimeout(timer);
    if (isNew) put();
    else timer = setTimeout(put, 120);
  };
  const whole = (text, below) => (/^\d+$/.test(text ?? "") && Number(text) < below ? Number(text) : -1);
  const tripled = (said) => {
    const [at, side, cluster] = (said ?? "").split(".");
    const known = { at: whole(at, texts.length), side: whole(side, data.sides) };
    if (known.at < 0 || known.side < 0) return null;
    known.cluster = whole(cluster, texts[known.at].clusters[known.side].length);
    return known.cluster < 0 ? null : known;
  };
  const restore = () => {
    last = location.hash.slice(1);
    const terms = new URLSearchParams(last);
    state.hidden = new Set((terms.get("hide") ?? "").split(".").map((kind) => whole(kind, data.kinds.length)).filter((kind) => kind >= 0));
    state.facets = data.facets.map(({ values }, at) => whole(terms.get(`f${at}`), values.length));
    state.document = whole(terms.get("d"), texts.length);
    state.entity = tripled(terms.get("e"));
    state.query = terms.get("q") ?? "";
    state.error = whole(terms.get("error"), errors.length);
    found = null;
    search();
    showFilters();
    showEntities();
    again();
    const [at, unit] = (terms.get("at") ?? "").split(".");
    const text = texts[whole(at, texts.length)];
    const opened = tripled(terms.get("open"));
    if (opened) open(opened.at, opened.side, opened.cluster, false);
    else if (state.open) { state.open = null; $("sheet").hidden = true; lit = null; }
    if (state.error >= 0 && errors[state.error].rows.length) goTo(state.error);
    else if (text && whole(unit, text.words.length) >= 0) reveal(text, Number(unit), "start");
    else if (opened) reveal(texts[opened.at], texts[opened.at].first[texts[opened.at].clusters[opened.side][opened.cluster][0]] ?? 0);
    tellError();
  };

  // What is done ------------------------------------------------------------------------------------------------------

  const innermost = ({ text, rows }) => rows.reduce((one, other) => (text.last[other] - text.first[other] < text.last[one] - text.first[one] ? other : one));
  const ownerOf = (target) => {
    const owner = owners.get(target.closest?.(".m, .error"));
    return owner?.rows?.length ? owner : null;
  };
  place.addEventListener("pointerover", (event) => {
    const owner = ownerOf(event.target);
    if (!owner) return;
    const row = owner.number === undefined ? innermost(owner) : owner.rows[0];
    lit = chain(owner.text, row);
    light(filled);
    tellRow(owner.text, row);
  });
  place.addEventListener("pointerleave", () => {
    if (state.open) return;
    lit = null;
    light(filled);
    tellError();
  });
  place.addEventListener("click", (event) => {
    const owner = ownerOf(event.target);
    if (!owner || String(getSelection())) return;
    if (owner.number !== undefined) state.error = owner.number;
    openRow(owner.text, owner.number === undefined ? innermost(owner) : owner.rows[0]);
    if (owner.number !== undefined) tellError();
  });
  for (const box of document.querySelectorAll(".kinds [data-kind]")) {
    box.addEventListener("change", () => {
      state.hidden[box.checked ? "delete" : "add"](Number(box.dataset.kind));
      refresh();
    });
  }
  $("all-kinds")?.addEventListener("click", () => { state.hidden.clear(); refresh(); });
  $("no-kinds")?.addEventListener("click", () => { state.hidden = new Set(data.kinds.keys()); refresh(); });
  data.facets.forEach(({ name, values }, at) => {
    if (!values.length) {
      $("facets").append(element("select", { hidden: true }, element("option", { value: "-1" }, "all")));
      return;
    }
    const select = element("select", {}, element("option", { value: "-1" }, "all"), ...values.map((value, number) => element("option", { value: String(number) }, value)));
    select.addEventListener("change", () => { state.facets[at] = Number(select.value); refresh(); });
    $("facets").append(element("label", { className: "field" }, `Mention’s ${name}`, select));
  });
  texts.forEach((text, at) => $("document").append(element("option", { value: String(at) }, text.name)));
  $("document").addEventListener("change", () => {
    state.document = Number($("document").value);
    search();
    refresh();
    showEntities();
    place.scrollIntoView();
  });
  $("entity").addEventListener("input", showEntities);
  $("query").addEventListener("input", () => {
    state.query = $("query").value;
    search();
    again((block) => block.hasHits || hasHits(block));
    keep();
  });
  $("query").addEventListener("keydown", (event) => {
    if (event.key === "Enter") stepHit(event.shiftKey ? -1 : 1);
  });
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  $("help-button").addEventListener("click", () => $("help").showModal());
  $("close-help").addEventListener("click", () => $("help").close());

  const openCurrent = () => {
    if (state.error < 0) return;
    const { text, rows, key } = errors[state.error];
    if (key >= 0) open(text.at, 0, key, true, text.first[rows[0]]);
    else openRow(text, rows[0]);
  };
  const keys = {
    j: () => step(1), k: () => step(-1), o: openCurrent, Enter: openCurrent,
    n: () => stepHit(1), N: () => stepHit(-1),
    "?": () => $("help").showModal(), Escape: shut,
    Home: () => toEdge(false), End: () => toEdge(true),
    "/": () => { $("panel").open = true; $("query").focus(); $("query").select(); },
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    const { target } = event;
    const isTyping = target.matches?.("input:not([type=checkbox]), select, textarea");
    if (isTyping && event.key !== "Escape") return;
    if (event.key === "Enter" && target.matches?.("button, a, summary, input, [tabindex='0']")) return;
    if (/^(Home|End)$/.test(event.key) && (event.shiftKey || target.closest?.(".panel, .sheet, .scroll"))) return;
    const action = Object.hasOwn(keys, event.key) ? keys[event.key] : null;
    if (!action) return;
    if (isTyping) return target.blur();
    event.preventDefault();
    action();
  });
  let scrolled = 0;
  addEventListener("scroll", () => {
    clearTimeout(scrolled);
    scrolled = setTimeout(() => {
      state.at = scrollY > 0 ? topmost() : null;
      // Who reads on has left the error.
      if (state.error >= 0 && !state.open) {
        const mark = [...filled].flatMap((block) => block.marked).find((one) => one.number === state.error)?.made.getBoundingClientRect();
        if (!mark || mark.bottom < 0 || mark.top > innerHeight) state.error = -1;
      }
      keep();
    }, 200);
  }, { passive: true });
  addEventListener("hashchange", () => location.hash.slice(1) !== last && restore());
  addEventListener("beforeprint", () => {
    printing = true;
    for (const text of texts) if (!text.made.hidden) for (const block of text.blocks) if (!block.filled) fill(block);
  });
  addEventListener("afterprint", () => {
    printing = false;
    observer.disconnect();
    for (const text of texts) for (const block of text.blocks) observer.observe(block.made);
  });

  if (narrow.matches) $("panel").open = false;
  build();
  restore();
}
