
{
  // A text with mentions, as `scorer.analysis.viewer` makes it. Only what is near the view is laid out: a block holds about UNITS units,
  // is filled when it comes near and emptied when it is far. To fill all blocks at once, with `content-visibility: auto`, takes 14 s for
  // 200,000 words and 30,000 mentions, where this takes 0.6 s. What untrusted users wrote becomes text nodes, and nothing else.
  const UNITS = 160;
  const NEAR = "1000px 0px";
  const COLOURS = 12;
  const LANE = 4;
  const LANES = 8;
  const SHOWN = 200;
  const HITS = 10000;
  const ENTITIES = 12;
  const SIDES = ["key", "response"];
  const narrow = matchMedia("(max-width: 60rem)");
  const $ = (id) => document.getElementById(id);
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };
  const button = (properties, action, ...children) => {
    const made = element("button", { type: "button", ...properties }, ...children);
    made.addEventListener("click", action);
    return made;
  };
  const shape = (kind) => document.querySelectorAll(".kinds .shape")[kind].cloneNode(true);
  const count = (number) => number.toLocaleString("en");
  const amount = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
  const data = JSON.parse($("data").textContent);
  const texts = data.documents;
  const hasBoth = data.sides > 1;

  // Documents ---------------------------------------------------------------------------------------------------------

  // No space stands between two words of a script that is written without.
  const SPACELESS = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\u3000-\u303f\uff00-\uffef]`;
  const [begins, ends] = [new RegExp(`^${SPACELESS}`, "u"), new RegExp(`${SPACELESS}$`, "u")];
  const FROM_RIGHT = /[\p{scx=Hebr}\p{scx=Arab}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}]/u;
  // No space stands before punctuation and clitics, and after an opening bracket or quotation mark of treebanks.
  const CLOSES = /^(?:[.,;:!?)\]}،؛؟]+|\.\.\.|''|['’](?:s|re|ve|ll|d|m)|n['’]t)$/i;
  const OPENS = /^(?:[([{]+|``)$/;
  const isGlued = (before, after) => CLOSES.test(after) || OPENS.test(before);
  const space = (before, after) => {
    if (isGlued(before, after)) return "";
    // Nearly all text is of other scripts, and seen to be at once.
    if (before.charCodeAt(before.length - 1) < 0xe00 || after.charCodeAt(0) < 0xe00) return " ";
    return ends.test(before) && begins.test(after) ? "" : " ";
  };
  // What stands between a unit and the one before it.
  const gap = (text, unit) => {
    const [before, after] = [text.words[unit - 1], text.words[unit]];
    return before === undefined || after === undefined ? "" : space(before, after);
  };
  // The tokens of the words that are written without a space around a unit, where they are several.
  const tokensAt = (text, unit, { from, to }) => {
    const isJoined = (at) => at > from && at < to && isGlued(text.words[at - 1], text.words[at]);
    let [first, last] = [unit, unit];
    while (isJoined(first)) first -= 1;
    while (isJoined(last + 1)) last += 1;
    return first < last ? `tokens: ${text.words.slice(first, last + 1).join(" | ")}` : "";
  };
  const joined = (text, from, to) => {
    let said = "";
    for (let unit = from; unit < to; unit += 1) said += (unit > from ? gap(text, unit) : "") + text.words[unit];
    return said;
  };
  const directionOf = (text, from, to) => {
    const letter = /\p{L}/u.exec(text.words.slice(from, to).join(""))?.[0];
    return letter && FROM_RIGHT.test(letter) ? "rtl" : "ltr";
  };

  // What else is made of a document: blocks of lines, the rows of mentions of each cluster, and the errors by the first unit of their
  // first mention (`marks`) and by mention, on the side that has it (`wrong`).
  const errors = [];
  texts.forEach((text, at) => {
    text.at = at;
    text.blocks = [];
    let [unit, row, held] = [0, 0, UNITS];
    text.sentences.forEach((length, sentence) => {
      for (let done = 0; done < length; done += UNITS) {
        const line = { sentence, from: unit + done, to: unit + Math.min(length, done + UNITS), goesOn: done > 0 };
        const size = line.to - line.from;
        if (held + size > UNITS) {
          // Mentions that end before a block are none of it.
          while (row < text.last.length && text.last[row] < line.from) row += 1;
          text.blocks.push({ text, lines: [], from: line.from, earliest: row, marked: [], filled: false });
          held = 0;
        }
        const block = text.blocks.at(-1);
        block.lines.push(line);
        block.to = line.to;
        held += size;
      }
      unit += length;
    });
    text.clusters = text.labels.map((labels, side) => {
      const clusters = labels.map(() => []);
      text[SIDES[side]].forEach((cluster, mention) => cluster >= 0 && clusters[cluster].push(mention));
      return clusters;
    });
    text.faintUnits = new Set(text.faint);
    text.marks = new Map();
    text.wrong = [new Map(), new Map()];
    for (const [kind, side, key, response, rows] of text.errors) {
      const number = errors.push({ text, kind, key, response, rows }) - 1;
      for (const mention of rows) {
        const own = text[SIDES[side]][mention] >= 0 ? side : 1 - side;
        if (!text.wrong[own].has(mention)) text.wrong[own].set(mention, number);
      }
      const first = text.first[rows[0]];
      text.marks.set(first, [...(text.marks.get(first) ?? []), number]);
    }
  });
  const colourOf = (text, side, cluster) => `var(--e${(side ? text.colours[cluster] : cluster) % COLOURS})`;
  const stretches = (text, row) => text.parts[row] ?? [[text.first[row], text.last[row]]];
  const said = (text, row) => {
    const parts = stretches(text, row).map(([from, to]) => joined(text, from, Math.min(to, from + 40) + 1) + (to > from + 40 ? " …" : ""));
    const whole = parts.join(" … ");
    return whole.length > 80 ? `${whole.slice(0, 78)}…` : whole;
  };
  const nameOf = (text, side, cluster) => {
    const row = text.names[side][cluster];
    const rows = text.clusters[side][cluster];
    if (row < 0 && !rows.length) return "(nothing in the text)";
    return said(text, row < 0 ? rows[0] : row);
  };
  const labelOf = (text, side, cluster) => (hasBoth ? `${SIDES[side]} ` : "") + (cluster < 0 ? "—" : text.labels[side][cluster]);

  // State -------------------------------------------------------------------------------------------------------------

  const selects = [...document.querySelectorAll("#facets select")];
  const boxes = [...document.querySelectorAll(".kinds [data-kind]")];
  const state = { hidden: new Set(), facets: [], document: -1, entity: null, query: "", error: -1, open: null, at: null };
  let lit = null;
  let hits = [];
  let hit = -1;
  let left = null;

  const isOf = (text, row, { at, side, cluster }) => text.at === at && text[SIDES[side]][row] === cluster;
  const rowPasses = (text, row) =>
    (!state.entity || isOf(text, row, state.entity)) && state.facets.every((value, at) => value < 0 || text.facets[at][row] === value);
  const passes = (number) => {
    const { text, kind, rows } = errors[number];
    if (state.hidden.has(kind) || !rows.length || (state.document >= 0 && state.document !== text.at)) return false;
    const { entity } = state;
    const isOfEntity = !entity || (text.at === entity.at && errors[number][SIDES[entity.side]] === entity.cluster) || rows.some((row) => isOf(text, row, entity));
    return isOfEntity && state.facets.every((value, at) => value < 0 || rows.some((row) => text.facets[at][row] === value));
  };
  // The errors that the filters leave.
  const listed = () => (left ??= [...errors.keys()].filter(passes));

  // Layout ------------------------------------------------------------------------------------------------------------

  const place = $("text");
  const owners = new WeakMap();
  const filled = new Set();

  const dashes = (colour, ...stops) => `repeating-linear-gradient(90deg,${stops.map((stop) => stop.replace("#", colour)).join()})`;
  const patterns = [
    (colour) => [`linear-gradient(${colour},${colour})`, 2],
    (colour) => [dashes(colour, "# 0 5px", "transparent 5px 9px"), 2],
    (colour) => [dashes(colour, "# 0 2px", "transparent 2px 5px"), 2],
    (colour) => [`linear-gradient(${colour} 0 1px,transparent 1px 2px,${colour} 2px)`, 3],
    (colour) => [dashes(colour, "# 0 7px", "transparent 7px 9px", "# 9px 11px", "transparent 11px 13px"), 2],
  ];
  // Of marks that overlap the outer one stands farther from the text; one by itself next to it.
  const setLevels = (marks) => {
    marks.sort((a, b) => a.from - b.from || b.to - a.to);
    let lanes = [];
    let group = [];
    for (const mark of marks) {
      if (lanes.every((end) => end < mark.from)) [lanes, group] = [[], []];
      const free = lanes.findIndex((end) => end < mark.from);
      mark.lane = free < 0 ? Math.min(lanes.length, LANES - 1) : free;
      lanes[mark.lane] = Math.max(mark.to, lanes[mark.lane] ?? -1);
      group.push(mark);
      mark.group = group;
      group.lanes = lanes.length;
    }
    for (const mark of marks) mark.level = mark.group.lanes - 1 - mark.lane;
  };
  // The marks of each unit of a block.
  const marksOf = ({ text, from: start, to: end, earliest }) => {
    const sides = [[], []];
    for (let row = earliest; row < text.first.length && text.first[row] < end; row += 1) {
      for (const [from, to] of stretches(text, row)) {
        if (to < start || from >= end) continue;
        SIDES.forEach((name, side) => text[name][row] >= 0 && sides[side].push({ row, side, from, to }));
      }
    }
    sides.forEach(setLevels);
    const cover = Array.from({ length: end - start }, () => []);
    for (const mark of sides.flat()) {
      const { row, side } = mark;
      const number = text.wrong[side].get(row);
      // Dashes where the response lacks a mention, dots where the key does, also where that is no error by itself.
      const isLone = hasBoth && text[SIDES[1 - side]][row] < 0;
      const pattern = number !== undefined && passes(number) ? 1 + data.kinds[errors[number].kind].pattern : isLone ? 1 + side : 0;
      const colour = rowPasses(text, row) ? colourOf(text, side, text[SIDES[side]][row]) : "var(--line)";
      [mark.image, mark.height] = patterns[pattern](colour);
      for (let unit = Math.max(mark.from, start); unit <= Math.min(mark.to, end - 1); unit += 1) {
        if (cover[unit - start].length < 4 * LANES) cover[unit - start].push(mark);
      }
    }
    return cover;
  };
  // Lines above and below a unit or, where `isGap`, what stands beside it.
  const draw = (made, marks, unit, isGap, [above, below], direction) => {
    const [positions, sizes] = [[], []];
    for (const { side, from, to, level, height } of marks) {
      const first = !isGap && unit === from ? 1.5 : 0;
      const last = !isGap && unit === to ? 1.5 : 0;
      const y = side ? `calc(100% - ${(below - 1 - level) * LANE}px)` : `${(above - 1 - level) * LANE}px`;
      sizes.push(`calc(100% - ${first + last}px) ${height}px`);
      positions.push(`${direction === "rtl" ? last : first}px ${y}`);
    }
    made.style.backgroundImage = marks.map(({ image }) => image).join();
    made.style.backgroundPosition = positions.join();
    made.style.backgroundSize = sizes.join();
  };
  const fillLine = (block, line, cover) => {
    const { text } = block;
    const ofLine = cover.slice(line.from - block.from, line.to - block.from).flat();
    const space = SIDES.map((_, side) => Math.max(0, ...ofLine.map((mark) => (mark.side === side ? mark.level + 1 : 0))));
    const direction = directionOf(text, line.from, line.to);
    const sentence = element("p", { className: line.goesOn ? "s on" : "s", dir: direction });
    if (!line.goesOn) sentence.dataset.number = line.sentence + 1;
    sentence.style.setProperty("--above", space[0]);
    sentence.style.setProperty("--below", space[1]);
    owners.set(sentence, { text, unit: line.from });
    const put = (made, owner, marks, unit, isGap) => {
      draw(made, marks, unit, isGap, space, direction);
      owner = { made, text, rows: [...new Set(marks.map((mark) => mark.row))], ...owner };
      owners.set(made, owner);
      block.marked.push(owner);
      sentence.append(made);
    };
    for (let unit = line.from; unit < line.to; unit += 1) {
      const marks = cover[unit - block.from];
      for (const number of text.marks.get(unit) ?? []) {
        if (!passes(number)) continue;
        const { kind, rows } = errors[number];
        const title = data.kinds[kind].name;
        // A span and not a button, whose box would not be that of the words: lines of mentions go through it.
        const made = element("span", { className: "error", title, role: "img", ariaLabel: title }, shape(kind));
        put(made, { number, rows }, marks.filter((mark) => mark.from < unit), unit, true);
      }
      const isHit = text.hits?.has(unit);
      const isFaint = text.faintUnits.has(unit);
      const title = tokensAt(text, unit, line);
      if (marks.length || isHit || isFaint) {
        const className = (marks.length ? "m" : "w") + (isHit ? " hit" : "") + (isFaint ? " faint" : "");
        put(element("span", { className, title }, text.words[unit]), { unit }, marks, unit, false);
      } else sentence.append(title ? element("span", { title }, text.words[unit]) : text.words[unit]);
      const between = unit + 1 < line.to ? gap(text, unit + 1) : "";
      const both = between ? marks.filter((mark) => mark.to > unit) : [];
      if (both.length) put(element("span", { className: "m" }, between), {}, both, unit, true);
      else sentence.append(between);
    }
    // Words by themselves are one node.
    sentence.normalize();
    return sentence;
  };
  const fill = (block) => {
    const cover = marksOf(block);
    block.marked = [];
    block.made.replaceChildren(...block.lines.map((line) => fillLine(block, line, cover)));
    block.made.style.minHeight = "";
    filled.add(block);
    light([block]);
  };
  const empty = (block) => {
    block.made.style.minHeight = `${block.made.offsetHeight}px`;
    block.made.replaceChildren();
    block.marked = [];
    filled.delete(block);
  };
  const again = () => filled.forEach(fill);
  // What is lit is a class on what is laid out.
  const light = (blocks = filled) => {
    const current = errors[state.error];
    const place = hits[hit];
    for (const { made, text, rows, number, unit } of [...blocks].flatMap((block) => block.marked)) {
      const isLit = (side) => lit?.text === text && lit[side] >= 0 && rows.some((row) => text[side][row] === lit[side]);
      const isCurrent = number === undefined ? current?.text === text && rows.some((row) => current.rows.includes(row)) : number === state.error;
      made.classList.toggle("in-key", isLit("key"));
      made.classList.toggle("in-response", isLit("response"));
      made.classList.toggle("current", isCurrent);
      made.classList.toggle("here", place?.text === text && unit >= place.from && unit <= place.to);
    }
  };

  let isPrinting = false;
  const blockOf = new WeakMap();
  const observer = new IntersectionObserver((entries) => {
    if (isPrinting) return;
    for (const { target, isIntersecting } of entries) {
      const block = blockOf.get(target);
      if (filled.has(block) !== isIntersecting) (isIntersecting ? fill : empty)(block);
    }
    aim?.();
  }, { rootMargin: NEAR });
  const build = () => {
    const width = place.clientWidth || 600;
    for (const text of texts) {
      text.made = element("section", { className: "document" }, element("h2", {}, element("bdi", {}, text.name)));
      text.made.append(...text.notes.map((note) => element("p", { className: "note" }, note)));
      for (const block of text.blocks) {
        block.made = element("div", { className: "block" });
        const lines = block.lines.reduce((sum, { from, to }) => sum + Math.ceil(((to - from) * 46) / width), 0);
        block.made.style.minHeight = `${lines * 32}px`;
        blockOf.set(block.made, block);
        text.made.append(block.made);
      }
    }
    place.append(...texts.map((text) => text.made));
    observe();
  };
  const observe = () => texts.forEach((text) => text.blocks.forEach((block) => observer.observe(block.made)));

  // Where the view was sent stays in its place while blocks around it are laid out, until somebody scrolls.
  let aim = null;
  const send = (there) => { aim = there; aim(); };
  for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    addEventListener(kind, () => { aim = null; }, { passive: true, capture: true });
  }
  const reveal = (text, unit, where = "center") => {
    const at = text.blocks.findLastIndex(({ from }) => from <= unit);
    if (at < 0) return text.made.scrollIntoView();
    const block = text.blocks[at];
    for (const near of text.blocks.slice(Math.max(0, at - 1), at + 2)) if (!filled.has(near)) fill(near);
    const line = block.lines.findIndex(({ to }) => unit < to);
    send(() => {
      const word = block.marked.find((owner) => owner.unit === unit)?.made;
      (word ?? block.made.children[line] ?? block.made).scrollIntoView({ block: where, inline: "nearest" });
    });
  };
  // A browser that is on its way there by itself comes to stand elsewhere where blocks are laid out meanwhile.
  const toEdge = (isEnd) => send(() => scrollTo({ top: isEnd ? document.documentElement.scrollHeight : 0, behavior: "instant" }));
  // The place of the first line in view.
  const topmost = () => {
    const box = place.getBoundingClientRect();
    for (let y = Math.max(box.top, 0) + 12; y < Math.min(innerHeight, box.bottom); y += 24) {
      const line = document.elementFromPoint(Math.min(box.left + 60, innerWidth - 10), y)?.closest(".s");
      if (line) return owners.get(line);
    }
    return null;
  };

  // What is said at the foot ------------------------------------------------------------------------------------------

  // A page without errors has no bar while there is nothing to say.
  const tell = (...parts) => {
    const shown = parts.filter(Boolean);
    $("said").replaceChildren(...shown.flatMap((part, at) => (at ? [" · ", part] : [part])));
    $("bar").hidden = !shown.length && !data.kinds.length;
  };
  const entitiesSaid = (text, clusters) => clusters.slice(0, data.sides).map((cluster, side) => {
    if (cluster < 0) return labelOf(text, side, cluster);
    const size = amount(text.clusters[side][cluster].length, "mention");
    return `${labelOf(text, side, cluster)} “${nameOf(text, side, cluster)}” (${size})`;
  });
  const linesSaid = (text, row) => {
    const lines = [text.keyLine[row], text.responseLine[row]].map((line, side) => line > 0 && `${hasBoth ? `${SIDES[side]} ` : ""}line ${line}`);
    return lines.filter(Boolean).join(", ");
  };
  const kindsOf = (text, row) => {
    const numbers = text.wrong.map((wrong) => wrong.get(row)).filter((number) => number !== undefined);
    return [...new Set(numbers)].map((number) => errors[number].kind);
  };
  const tellRow = (text, row) => {
    const kinds = new Set(kindsOf(text, row).map((kind) => data.kinds[kind].name));
    const words = element("b", {}, element("bdi", {}, said(text, row)));
    tell(words, ...entitiesSaid(text, [text.key[row], text.response[row]]), [...kinds].join(", "), linesSaid(text, row));
  };
  const tellError = () => {
    const list = listed();
    if (state.error < 0) {
      if (!data.kinds.length) tell();
      else tell(amount(list.length, "error") + (list.length < errors.length ? ` of ${count(errors.length)}` : ""));
      return;
    }
    const { text, kind, key, response, rows } = errors[state.error];
    const at = list.indexOf(state.error);
    const more = rows.length > 1 ? ` and ${amount(rows.length - 1, "more mention")}` : "";
    const head = element("span", {}, shape(kind), element("b", {}, data.kinds[kind].name), " ", element("bdi", {}, said(text, rows[0])), more);
    tell(at < 0 ? "" : `${count(at + 1)} of ${count(list.length)}`, head, ...entitiesSaid(text, [key, response]), linesSaid(text, rows[0]));
  };

  // Errors and search -------------------------------------------------------------------------------------------------

  const chain = (text, row) => ({ text, key: text.key[row], response: text.response[row] });
  const point = (text, row) => {
    lit = chain(text, row);
    light();
    tellRow(text, row);
  };
  const goTo = (number) => {
    state.error = number;
    const { text, rows, key, response } = errors[number];
    const own = chain(text, rows[0]);
    lit = { text, key: own.key >= 0 ? own.key : key, response: own.response >= 0 ? own.response : response };
    reveal(text, text.first[rows[0]]);
    light();
    tellError();
    keep();
  };
  // The place in a list that follows the first line in view.
  const following = (list, placeOf) => {
    const top = topmost() ?? { text: texts[0], unit: 0 };
    const at = list.findIndex((item) => {
      const { text, unit } = placeOf(item);
      return text.at > top.text.at || (text === top.text && unit >= top.unit);
    });
    return at < 0 ? list.length : at;
  };
  const step = (direction) => {
    const list = listed();
    if (!list.length) return tell("No errors match the filters");
    let at = list.indexOf(state.error) + direction;
    if (!list.includes(state.error)) {
      at = following(list, (number) => ({ text: errors[number].text, unit: errors[number].text.first[errors[number].rows[0]] }));
      if (direction < 0) at -= 1;
    }
    goTo(list[Math.max(0, Math.min(list.length - 1, at))]);
  };

  // A text in small letters, and where in it each unit begins.
  const indexed = (text) => {
    if (text.lower !== undefined) return;
    text.starts = [];
    text.lower = "";
    text.words.forEach((word, unit) => {
      text.lower += gap(text, unit);
      text.starts.push(text.lower.length);
      text.lower += word.toLowerCase();
    });
  };
  const search = () => {
    hits = [];
    hit = -1;
    // What is looked for is spaced as the text is.
    const tokens = state.query.trim().toLowerCase().split(/\s+/);
    const wanted = tokens.reduce((before, token, at) => before + space(tokens[at - 1], token) + token);
    for (const text of texts) {
      text.hits = null;
      if (!wanted || (state.document >= 0 && state.document !== text.at)) continue;
      indexed(text);
      text.hits = new Set();
      let unit = 0;
      const unitAt = (letter) => {
        while (text.starts[unit + 1] <= letter) unit += 1;
        return unit;
      };
      for (let at = text.lower.indexOf(wanted); at >= 0 && hits.length < HITS; at = text.lower.indexOf(wanted, at + wanted.length)) {
        const [from, to] = [unitAt(at), unitAt(at + wanted.length - 1)];
        hits.push({ text, from, to });
        for (let inside = from; inside <= to; inside += 1) text.hits.add(inside);
      }
    }
    const places = hits.length < HITS ? amount(hits.length, "place") : `the first ${amount(HITS, "place")}`;
    $("hits").textContent = wanted ? `${places}; Enter for the next` : "";
  };
  const stepHit = (direction) => {
    if (!hits.length) return;
    if (hit < 0) hit = following(hits, ({ text, from }) => ({ text, unit: from })) - (direction > 0 ? 1 : 0);
    hit = (hit + direction + hits.length) % hits.length;
    const { text, from } = hits[hit];
    reveal(text, from);
    light();
    $("hits").textContent = `${count(hit + 1)} of ${amount(hits.length, "place")}`;
    keep();
  };

  // The entity that is open -------------------------------------------------------------------------------------------

  const sheet = $("sheet");
  const swatch = (text, side, cluster) => {
    const made = element("i", { className: "swatch" });
    if (cluster >= 0) made.style.backgroundColor = colourOf(text, side, cluster);
    return made;
  };
  const labelled = (text, side, cluster) => (cluster < 0 ? `not in the ${SIDES[side]}` : labelOf(text, side, cluster));
  // The clusters of the other side that have mentions of a cluster, or lack them, with how many.
  const partsOf = (text, side, cluster) => {
    const counts = new Map();
    for (const row of text.clusters[side][cluster]) {
      const other = text[SIDES[1 - side]][row];
      counts.set(other, (counts.get(other) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  };
  const partItem = (text, side, cluster, size, whole) => {
    const part = element("span", {}, swatch(text, side, cluster));
    if (cluster < 0) part.append(labelled(text, side, cluster));
    else {
      const opens = button({ className: "link" }, () => open(text.at, side, cluster), labelled(text, side, cluster));
      const strange = text.clusters[side][cluster].length - size;
      part.append(opens, " ", element("bdi", {}, nameOf(text, side, cluster)));
      if (strange) part.append(element("span", { className: "faint" }, ` with ${count(strange)} of others`));
    }
    const meter = { min: 0, max: whole, value: size, className: cluster < 0 ? "lacking" : "", ariaLabel: `${size} of ${whole} mentions` };
    return element("li", {}, part, element("b", {}, count(size)), element("meter", meter));
  };
  const badge = (...children) => element("span", { className: "badge" }, ...children);
  // A mention in its context; `cluster` is open, and others have `strange` mentions.
  const mentionItem = (text, side, cluster, row) => {
    const isStrange = text[SIDES[side]][row] !== cluster;
    const item = element("li", { className: isStrange ? "strange" : "" });
    if (hasBoth) {
      const shown = isStrange ? side : 1 - side;
      const where = text[SIDES[shown]][row];
      item.append(badge(swatch(text, shown, where), (isStrange ? "merged in: " : "") + labelled(text, shown, where)));
      for (const kind of kindsOf(text, row)) item.append(" ", badge(shape(kind), data.kinds[kind].name));
    }
    const [from, to] = [text.first[row], text.last[row] + 1];
    item.append(button(
      { className: "context", dir: directionOf(text, Math.max(0, from - 3), to) },
      () => { reveal(text, from); point(text, row); },
      joined(text, Math.max(0, from - 8), from) + gap(text, from),
      element("mark", {}, said(text, row)),
      gap(text, to) + joined(text, to, Math.min(text.words.length, to + 8)),
    ));
    return item;
  };
  // `unit`: what it was opened from, and has to stay in view.
  const open = (at, side, cluster, isNew = true, unit = -1) => {
    state.open = { at, side, cluster };
    const text = texts[at];
    const [own, other] = [text[SIDES[side]], 1 - side];
    const rows = text.clusters[side][cluster];
    const title = element("h2", { id: "sheet-title", tabIndex: -1 }, swatch(text, side, cluster), element("bdi", {}, nameOf(text, side, cluster)));
    const close = button({ className: "close", title: "close (Esc)", ariaLabel: "close" }, shut, "✕");
    const only = button({}, () => { state.entity = { at, side, cluster }; refresh(); }, "only this entity");
    const about = `${hasBoth ? `${SIDES[side]} cluster` : "cluster"} ${text.labels[side][cluster]}, ${amount(rows.length, "mention")}, in ${text.name}`;
    const made = [element("header", {}, title, close), element("p", { className: "faint" }, about), element("p", {}, only)];
    let [all, best] = [rows, -1];
    if (hasBoth) {
      const parts = partsOf(text, side, cluster);
      const joins = parts.filter(([part]) => part >= 0);
      made.push(element("h3", {}, `Its mentions in the ${SIDES[other]}`));
      const split = side ? `joins mentions of ${joins.length} entities` : `split among ${joins.length} clusters`;
      if (joins.length > 1) made.push(element("p", { className: "split" }, split));
      made.push(element("ul", { className: "parts" }, ...parts.map(([part, size]) => partItem(text, other, part, size, rows.length))));
      // Mentions of others that the best cluster of the other side puts among these.
      best = joins[0]?.[0] ?? -1;
      const strange = best < 0 ? [] : text.clusters[other][best].filter((row) => own[row] !== cluster);
      all = [...rows, ...strange].sort((a, b) => a - b);
    }
    const list = element("ol", { className: "mentions" });
    const more = button({}, () => show(), "");
    let before = null;
    const show = () => {
      for (const row of all.slice(list.children.length, list.children.length + SHOWN)) {
        const item = mentionItem(text, side, cluster, row);
        const where = text[SIDES[other]][row];
        if (hasBoth && own[row] === cluster) {
          if (before !== null && before !== where) item.classList.add("turn");
          before = where;
        }
        list.append(item);
      }
      const rest = all.length - list.children.length;
      more.hidden = !rest;
      more.textContent = amount(rest, "more mention");
    };
    show();
    made.push(element("h3", {}, "In the text"), list, more);
    sheet.replaceChildren(...made);
    const top = topmost();
    const isWider = sheet.hidden;
    sheet.hidden = false;
    sheet.scrollTop = 0;
    lit = side ? { text, key: best, response: cluster } : { text, key: cluster, response: best };
    light();
    if (!isNew) return;
    // Beside the sheet the text has less room, and breaks otherwise.
    if (isWider && unit >= 0) reveal(text, unit, narrow.matches ? "start" : "center");
    else if (isWider && top) reveal(top.text, top.unit, "start");
    keep(true);
    title.focus({ preventScroll: true });
  };
  const openRow = (text, row) => {
    const side = text.key[row] >= 0 ? 0 : 1;
    open(text.at, side, text[SIDES[side]][row], true, text.first[row]);
  };
  const shut = () => {
    if (!state.open) return;
    state.open = lit = null;
    sheet.hidden = true;
    light();
    tellError();
    keep();
    place.focus({ preventScroll: true });
  };

  // Filters -----------------------------------------------------------------------------------------------------------

  const showEntities = () => {
    const wanted = $("entity").value.trim().toLowerCase();
    const all = [];
    for (const text of texts) {
      if (state.document >= 0 && state.document !== text.at) continue;
      text.clusters[0].forEach((rows, cluster) => {
        const isWanted = () => text.labels[0][cluster].toLowerCase() === wanted || nameOf(text, 0, cluster).toLowerCase().includes(wanted);
        if (rows.length && (!wanted || isWanted())) all.push({ text, rows, cluster });
      });
    }
    all.sort((a, b) => b.rows.length - a.rows.length);
    const items = all.slice(0, ENTITIES).map(({ text, rows, cluster }) => {
      const show = () => { open(text.at, 0, cluster); reveal(text, text.first[rows[0]]); };
      const name = button({ className: "link" }, show, swatch(text, 0, cluster), element("bdi", {}, nameOf(text, 0, cluster)));
      const where = texts.length > 1 && state.document < 0 ? text.name : "";
      return element("li", {}, name, element("span", { className: "faint name", title: where }, where), element("span", { className: "faint" }, count(rows.length)));
    });
    if (all.length > ENTITIES) items.push(element("li", { className: "faint" }, `and ${count(all.length - ENTITIES)} more`));
    $("entities").replaceChildren(...items);
  };
  // Show all that depends on filters.
  const refresh = () => {
    left = null;
    if (state.error >= 0 && !passes(state.error)) {
      state.error = -1;
      if (!state.open) lit = null;
    }
    boxes.forEach((box, kind) => { box.checked = !state.hidden.has(kind); });
    selects.forEach((select, at) => { select.value = state.facets[at]; });
    $("document").value = state.document;
    if ($("query").value !== state.query) $("query").value = state.query;
    $("chosen").hidden = !state.entity;
    if (state.entity) {
      const { at, side, cluster } = state.entity;
      const name = element("bdi", {}, nameOf(texts[at], side, cluster));
      const remove = button({}, () => { state.entity = null; refresh(); }, "all entities");
      $("chosen").replaceChildren("only ", swatch(texts[at], side, cluster), name, " ", remove);
    }
    for (const text of texts) text.made.hidden = state.document >= 0 && state.document !== text.at;
    again();
    tellError();
    keep();
  };

  // The address -------------------------------------------------------------------------------------------------------

  let timer = 0;
  let last = "";
  const keep = (isNew = false) => {
    const put = () => {
      const triple = (one) => one && `${one.at}.${one.side}.${one.cluster}`;
      const values = {
        hide: [...state.hidden].sort((a, b) => a - b).join("."),
        f: state.facets.some((value) => value >= 0) && state.facets.join("."),
        d: state.document >= 0 && state.document,
        e: triple(state.entity),
        q: state.query,
        open: triple(state.open),
        error: state.error >= 0 && state.error,
        at: state.at && `${state.at.text.at}.${state.at.unit}`,
      };
      const said = Object.entries(values).filter(([, value]) => value || value === 0);
      const terms = String(new URLSearchParams(said));
      if (terms === last && !isNew) return;
      last = terms;
      history[isNew ? "pushState" : "replaceState"](null, "", `#${terms}`);
    };
    clearTimeout(timer);
    if (isNew) put();
    else timer = setTimeout(put, 120);
  };
  // What an address says that there is not counts as nothing.
  const restore = () => {
    last = location.hash.slice(1);
    const terms = new URLSearchParams(last);
    const numbers = (name) => (terms.get(name) || "-1").split(".").map((number) => Number(number));
    const inside = (number, list) => (list[number] === undefined ? -1 : number);
    const triple = (name) => {
      const [at, side, cluster] = numbers(name);
      return texts[at]?.clusters[side]?.[cluster] ? { at, side, cluster } : null;
    };
    state.hidden = new Set(numbers("hide").filter((kind) => data.kinds[kind]));
    const values = numbers("f");
    state.facets = selects.map((select, at) => inside(values[at], [...select.options].slice(1)));
    [state.document, state.error] = [inside(numbers("d")[0], texts), inside(numbers("error")[0], errors)];
    state.entity = triple("e");
    state.query = terms.get("q") ?? "";
    search();
    showEntities();
    refresh();
    const opened = triple("open");
    if (opened) open(opened.at, opened.side, opened.cluster, false);
    else shut();
    const [at, unit] = numbers("at");
    if (errors[state.error]?.rows.length) goTo(state.error);
    else if (texts[at]?.words[unit] !== undefined) reveal(texts[at], unit, "start");
    else if (opened) reveal(texts[opened.at], texts[opened.at].first[texts[opened.at].clusters[opened.side][opened.cluster][0]] ?? 0);
  };

  // What is done ------------------------------------------------------------------------------------------------------

  // The text and the row of what is pointed at: an error's first mention, or the innermost mention.
  const pointed = ({ target }) => {
    const owner = owners.get(target.closest(".m, .error"));
    if (!owner?.rows.length) return null;
    const { text, rows, number } = owner;
    const size = (row) => text.last[row] - text.first[row];
    return { text, number, row: number === undefined ? rows.reduce((one, other) => (size(other) < size(one) ? other : one)) : rows[0] };
  };
  place.addEventListener("pointerover", (event) => {
    const owner = pointed(event);
    if (owner) point(owner.text, owner.row);
  });
  place.addEventListener("pointerleave", () => {
    if (state.open) return;
    lit = null;
    light();
    tellError();
  });
  place.addEventListener("click", (event) => {
    const owner = pointed(event);
    if (!owner || String(getSelection())) return;
    state.error = owner.number ?? state.error;
    openRow(owner.text, owner.row);
    if (owner.number !== undefined) tellError();
  });
  boxes.forEach((box, kind) => box.addEventListener("change", () => {
    state.hidden[box.checked ? "delete" : "add"](kind);
    refresh();
  }));
  const listen = (id, action, event = "click") => $(id)?.addEventListener(event, action);
  listen("all-kinds", () => { state.hidden.clear(); refresh(); });
  listen("no-kinds", () => { state.hidden = new Set(data.kinds.keys()); refresh(); });
  selects.forEach((select, at) => select.addEventListener("change", () => {
    state.facets[at] = Number(select.value);
    refresh();
  }));
  listen("document", () => {
    state.document = Number($("document").value);
    search();
    refresh();
    showEntities();
    place.scrollIntoView();
  }, "change");
  listen("entity", showEntities, "input");
  listen("query", () => {
    state.query = $("query").value;
    search();
    const isHit = (block) => hits.some(({ text, from, to }) => text === block.text && from < block.to && to >= block.from);
    [...filled].filter((block) => block.made.querySelector(".hit") || isHit(block)).forEach(fill);
    keep();
  }, "input");
  listen("query", (event) => event.key === "Enter" && stepHit(event.shiftKey ? -1 : 1), "keydown");
  listen("previous", () => step(-1));
  listen("next", () => step(1));
  listen("help-button", () => $("help").showModal());
  listen("close-help", () => $("help").close());

  const openCurrent = () => {
    if (state.error < 0) return;
    const { text, rows, key } = errors[state.error];
    if (key >= 0) open(text.at, 0, key, true, text.first[rows[0]]);
    else openRow(text, rows[0]);
  };
  const errorKeys = { j: () => step(1), k: () => step(-1), o: openCurrent, Enter: openCurrent };
  const keys = {
    ...(data.kinds.length ? errorKeys : {}),
    n: () => stepHit(1), N: () => stepHit(-1),
    "?": () => $("help").showModal(), Escape: shut,
    Home: () => toEdge(false), End: () => toEdge(true),
    "/": () => { $("panel").open = true; $("query").focus(); $("query").select(); },
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || $("help").open || !Object.hasOwn(keys, event.key)) return;
    const { target } = event;
    if (target.matches("input:not([type=checkbox]), select")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (event.key === "Enter" && target.matches("button, a, summary, input, [tabindex='0']")) return;
    if (/^(Home|End)$/.test(event.key) && (event.shiftKey || target.closest(".panel, .sheet, .scroll"))) return;
    event.preventDefault();
    keys[event.key]();
  });
  let scrolled = 0;
  addEventListener("scroll", () => {
    clearTimeout(scrolled);
    scrolled = setTimeout(() => {
      state.at = scrollY > 0 ? topmost() : null;
      // Who reads on has left the error.
      if (state.error >= 0 && !state.open) {
        const mark = document.querySelector(".error.current")?.getBoundingClientRect();
        if (!mark || mark.bottom < 0 || mark.top > innerHeight) state.error = -1;
      }
      keep();
    }, 200);
  }, { passive: true });
  addEventListener("hashchange", () => location.hash.slice(1) !== last && restore());
  addEventListener("beforeprint", () => {
    isPrinting = true;
    for (const text of texts) if (!text.made.hidden) text.blocks.forEach(fill);
  });
  addEventListener("afterprint", () => {
    isPrinting = false;
    observer.disconnect();
    observe();
  });

  if (narrow.matches) $("panel").open = false;
  build();
  restore();
}
