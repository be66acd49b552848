// The scorer, in a thread of its own. It gets the files of the page first, then pairs to score.
const PRESET_LIST = "from scorer.options import PRESETS; [*PRESETS]";
let embedded;

// Pyodide fetches its parts by address; they are in the page.
self.fetch = async (address) => {
  const name = Object.keys(embedded).find((file) => String(address).endsWith(file));
  const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(embedded[name], { headers: { "content-type": type } });
};

function module(name) {
  return import(URL.createObjectURL(new Blob([embedded[name]], { type: "text/javascript" })));
}

async function start() {
  // Where a policy forbids WebAssembly, Pyodide waits forever: compile the shortest program first.
  await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
  const { loadPyodide } = await module("pyodide.mjs");
  const { default: createPyodideModule } = await module("pyodide.asm.mjs");
  const pyodide = await loadPyodide({ indexURL: "https://page.invalid/", createPyodideModule });
  const extractDir = pyodide.runPython("import site; site.getsitepackages()[0]");
  pyodide.unpackArchive(embedded["site.zip"], "zip", { extractDir });
  const commands = pyodide.pyimport("commands");
  postMessage({ ready: pyodide.runPython(PRESET_LIST).toJs() });
  return { FS: pyodide.FS, commands };
}

function call(run, ...words) {
  const result = run(...words);
  const values = result.toJs();
  result.destroy();
  return values;
}

async function score({ files, preset }) {
  const { FS, commands } = await started;
  const paths = [];
  for (const side of ["key", "response"]) {
    const folder = `/home/pyodide/${side}`;
    if (FS.analyzePath(folder).exists) FS.unmount(folder);
    else FS.mkdir(folder);
    // Files are read where they are, not copied.
    FS.mount(FS.filesystems.WORKERFS, { files: files[side] }, folder);
    paths.push(files[side].length === 1 ? `${side}/${files[side][0].name}` : side);
  }
  const chosen = preset ? ["--preset", preset] : [];
  const [status, json, page, messages] = call(commands.score, ...paths, preset);
  postMessage({ messages });
  if (status !== 2) {
    postMessage({ result: "json", content: json });
    postMessage({ result: "scores", content: page });
  }
  postMessage({ result: "problems", content: call(commands.run, "check", ...paths)[1] });
  if (status === 2) return;
  const words = { errors: ["errors", "--format", "html"], perl: ["score", "--format", "perl"] };
  for (const [result, [command, ...options]] of Object.entries(words)) {
    const [failed, content, lines] = call(commands.run, command, ...paths, ...chosen, ...options, "--quiet");
    // scorer.pl has no text for most presets.
    if (failed !== 2) postMessage({ result, content });
    else if (result !== "perl") postMessage({ messages: lines });
  }
}

let started;
addEventListener("message", async ({ data }) => {
  try {
    if (data.embedded) {
      embedded = data.embedded;
      started = start();
      await started;
    } else {
      await score(data);
      postMessage({ done: true });
    }
  } catch (error) {
    postMessage({ failed: String(error) });
  }
});
