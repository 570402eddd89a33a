/* The upload page with script: chosen files are listed with their sizes before they are sent,
   sending shows how far it is, and an answer that refuses is shown like one that takes. */
(() => {
  const form = document.getElementById("upload");
  if (!form) return;
  const input = form.querySelector("#u-files");
  const chosen = form.querySelector("#u-chosen");
  const drop = form.querySelector(".drop");
  const progress = form.querySelector("#u-progress");
  const most = Number(form.dataset.mostBytes);

  const size = (bytes) => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
  const row = (name, bytes, kind) => {
    const item = document.createElement("li");
    item.className = kind;
    for (const text of [name, size(bytes)]) item.append(Object.assign(document.createElement("span"), { textContent: text }));
    return item;
  };

  const list = () => {
    const files = [...input.files];
    const total = files.reduce((sum, file) => sum + file.size, 0);
    const items = Object.assign(document.createElement("ul"), { className: "chosen" });
    items.append(...files.map((file) => row(file.name, file.size, "")));
    if (files.length) items.append(row(files.length === 1 ? "1 file" : `${files.length} files`, total, "is-total"));
    chosen.replaceChildren(items);
    const tooMuch = total > most ? `${size(total)} together; one upload takes ${size(most)}. Choose fewer files.` : "";
    input.setCustomValidity(tooMuch);
    if (tooMuch) chosen.append(Object.assign(document.createElement("p"), { className: "bad", textContent: tooMuch }));
  };
  input.addEventListener("change", list);
  list();

  for (const [name, over] of [["dragenter", true], ["dragleave", false], ["drop", false]]) {
    drop.addEventListener(name, () => drop.classList.toggle("is-over", over));
  }

  form.addEventListener("htmx:xhr:progress", (event) => {
    if (!event.detail.lengthComputable) return;
    progress.hidden = false;
    progress.value = (100 * event.detail.loaded) / event.detail.total;
  });
  form.addEventListener("htmx:beforeSwap", (event) => {
    if ([413, 422].includes(event.detail.xhr.status)) event.detail.shouldSwap = true;
  });
  form.addEventListener("htmx:sendError", () => {
    progress.hidden = true;
    chosen.append(Object.assign(document.createElement("p"), { className: "bad", textContent: "The upload did not arrive. Nothing is lost here: send it again." }));
  });
})();
