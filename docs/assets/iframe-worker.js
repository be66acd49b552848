// Browsers start no worker for a page that is opened as a file, so the search runs in a hidden frame there.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      const waiting = [];
      this.postMessage = (data) => waiting.push(data);
      const start = () => {
        document.body.append(frame);
        const inside = frame.contentWindow;
        // What the worker posts goes to the listeners of this object.
        inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        const script = inside.document.createElement("script");
        script.src = new URL(address, location.href);
        script.onload = () => {
          this.postMessage = (data) => inside.dispatchEvent(new inside.MessageEvent("message", { data }));
          waiting.forEach(this.postMessage);
        };
        inside.document.body.append(script);
      };
      if (document.body) start();
      else addEventListener("DOMContentLoaded", start);
    }

    terminate() {}
  };
  window.Worker = window.IFrameWorker;
}
