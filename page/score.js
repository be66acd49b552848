// The page: which files are chosen, and what the worker makes of them.
const find = (selector) => document.querySelector(selector);
const form = find("form").elements;
const sides = [...document.querySelectorAll(".side")];
const tabs = [...document.querySelectorAll("[role=tab]")];
const links = [...document.querySelectorAll("[data-result]")];
const chosen = { key: [], response: [] };
const addresses = [];
const embedded = await unpack();
let worker;

async function unpack() {
  const files = {};
  for (const block of document.querySelectorAll("[data-file]")) {
    const bytes = Uint8Array.from(atob(block.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    files[block.dataset.file] = await new Response(stream).arrayBuffer();
    block.remove();
  }
  return files;
}

function start() {
  setState("loading", "The scorer is loading …");
  const script = new Blob([find("#worker").textContent], { type: "text/javascript" });
  worker = new Worker(URL.createObjectURL(script));
  worker.addEventListener("error", (event) => fail(event.message || "the browser allows no worker here"));
  // What a worker that was ended has sent before may still arrive.
  worker.addEventListener("message", ({ target, data }) => target === worker && receive(data));
  worker.postMessage({ embedded });
}

function setState(state, text) {
  document.documentElement.dataset.state = state;
  find("#state").textContent = text;
  form.score.disabled = state !== "ready" || !chosen.key.length || !chosen.response.length;
  form.example.disabled = state !== "ready";
  form.cancel.disabled = state !== "running";
}

function fail(reason) {
  setState("failed", `The scorer cannot run in this browser: ${reason}`);
}

function receive({ ready, failed, messages, result, content, done }) {
  if (ready) {
    // Names of presets come from the scorer.
    const options = ["", ...ready].map((name) => new Option(name || "CoNLL-2012", name));
    if (!form.preset.length) form.preset.append(...options);
    setState("ready", "The scorer is ready.");
  }
  if (failed) fail(failed);
  if (messages) {
    // As text, never as markup: names in it come from the files.
    find("#messages").textContent += messages;
    find("#messages").hidden = false;
  }
  if (result === "problems") find("#problems").textContent = new TextDecoder().decode(content) || "No problems found.";
  else if (result) link(result, content);
  if (result && (result === "scores" || find("nav").hidden)) show(result === "json" ? "scores" : result);
  if (done) setState("ready", "Done.");
}

function link(result, content) {
  const type = { json: "application/json", perl: "text/plain" }[result] ?? "text/html";
  const address = URL.createObjectURL(new Blob([content], { type }));
  addresses.push(address);
  for (const anchor of links) if (anchor.dataset.result === result) anchor.href = address;
  if (type === "text/html") document.getElementById(result).src = address;
}

function show(shown) {
  find("nav").hidden = shown === null;
  for (const tab of tabs) {
    const controlled = tab.getAttribute("aria-controls");
    tab.setAttribute("aria-selected", controlled === shown);
    document.getElementById(controlled).hidden = controlled !== shown;
  }
}

function clear() {
  for (const address of addresses.splice(0)) URL.revokeObjectURL(address);
  for (const anchor of links) anchor.removeAttribute("href");
  for (const frame of document.querySelectorAll("iframe")) frame.removeAttribute("src");
  find("#messages").textContent = find("#problems").textContent = "";
  find("#messages").hidden = true;
  show(null);
}

function choose(side, files) {
  chosen[side.dataset.side] = [...files];
  side.querySelector("span").textContent = [...files].map((file) => file.name).join(", ");
  side.classList.toggle("full", files.length > 0);
  setState(document.documentElement.dataset.state, find("#state").textContent);
}

for (const side of sides) {
  side.querySelector("input").addEventListener("change", ({ target }) => choose(side, target.files));
  side.addEventListener("dragover", (event) => (event.preventDefault(), side.classList.add("over")));
  side.addEventListener("dragleave", () => side.classList.remove("over"));
  side.addEventListener("drop", (event) => {
    event.preventDefault();
    side.classList.remove("over");
    choose(side, event.dataTransfer.files);
  });
}
for (const tab of tabs) tab.addEventListener("click", () => show(tab.getAttribute("aria-controls")));
find("form").addEventListener("submit", (event) => {
  event.preventDefault();
  clear();
  setState("running", "Scoring …");
  worker.postMessage({ files: chosen, preset: form.preset.value });
});
form.cancel.addEventListener("click", () => {
  worker.terminate();
  clear();
  start();
});
form.example.addEventListener("click", () => {
  for (const side of sides) {
    const name = `example.${side.dataset.side}.conll`;
    choose(side, [new File([embedded[name]], name)]);
  }
  find("form").requestSubmit();
});
start();
