/* The upload page with script: chosen files are listed with their sizes before they are sent,
   sending shows how far it is, and an answer that refuses is shown like one that takes. */
(() => {
  const make = (tag, className, textContent = "") => Object.assign(document.createElement(tag), { className, textContent });

  const size = (bytes) => {
    if (bytes < 1e3) return `${bytes} bytes`;
    return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  };

  const row = (name, bytes, kind) => {
    const item = make("li", kind);
    item.append(make("span", "", name), make("span", "nowrap", size(bytes)));
    return item;
  };

  const list = (form) => {
    const input = form.querySelector("#u-files");
    const files = [...input.files];
    const total = files.reduce((sum, file) => sum + file.size, 0);
    const most = Number(form.dataset.mostBytes);
    const items = make("ul", "chosen");
    items.append(...files.map((file) => row(file.name, file.size, "")));
    if (files.length) items.append(row(files.length === 1 ? "1 file" : `${files.length} files`, total, "is-total"));
    const tooMuch = total > most ? `${size(total)} together; one upload takes ${size(most)}. Choose fewer files.` : "";
    input.setCustomValidity(tooMuch);
    const chosen = form.querySelector("#u-chosen");
    chosen.replaceChildren(items);
    if (tooMuch) chosen.append(make("p", "bad", tooMuch));
  };

  const start = (form) => {
    if (!form || form.dataset.started) return;
    form.dataset.started = "yes";
    const drop = form.querySelector(".drop");
    const progress = form.querySelector("#u-progress");
    form.querySelector("#u-files").addEventListener("change", () => list(form));
    for (const [name, over] of [["dragenter", true], ["dragleave", false], ["drop", false]]) {
      drop.addEventListener(name, () => drop.classList.toggle("is-over", over));
    }
    form.addEventListener("htmx:xhr:progress", (event) => {
      if (!event.detail.lengthComputable) return;
      progress.hidden = false;
      progress.value = (100 * event.detail.loaded) / event.detail.total;
    });
    form.addEventListener("htmx:sendError", () => {
      progress.hidden = true;
      form.querySelector("#u-chosen").append(make("p", "bad", "The upload did not arrive. Nothing is lost here: send it again."));
    });
    list(form);
  };

  start(document.getElementById("upload"));
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (![413, 422].includes(event.detail.xhr.status)) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.elt.id !== "main") return;
    start(document.getElementById("upload"));
    event.detail.elt.focus();
  });
})();
