/* The upload page with script: chosen files are listed before they are sent, each with its size and
   what its beginning is recognised as; sending shows how far it is, and an answer that refuses is shown like one that takes. */
(() => {
  const make = (tag, className, textContent = "") => Object.assign(document.createElement(tag), { className, textContent });

  const size = (bytes) => {
    if (bytes < 1e3) return `${bytes} bytes`;
    return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  };

  const PREVIEW = 256 * 1024;

  const row = (name, bytes, kind) => {
    const item = make("li", kind);
    item.append(make("span", "", name), make("span", "nowrap", size(bytes)));
    return item;
  };

  const recognised = ({ kind, lines, call_types: types, faults, fault }) => {
    if (fault) return [fault, true];
    if (kind !== "captures") return ["answers, verdicts, rows or a theme: a dry run tells which", false];
    const counts = Object.entries(types).map(([name, number]) => `${name} ${number}`);
    const first = lines === 1 ? "first line" : `first ${lines} lines`;
    const seen = counts.length ? `captured calls; in the ${first}: ${counts.join(", ")}` : "captured calls";
    if (!faults.length) return [seen, false];
    return [`${seen}; line ${faults[0].line} will be refused: ${faults[0].reason}`, true];
  };

  /* The server looks at the beginning of a file with the very code that will read it. */
  const look = async (form, file, item) => {
    const body = new FormData();
    body.append("beginning", file.slice(0, PREVIEW), file.name);
    body.append("is_cut", file.size > PREVIEW ? "1" : "0");
    const headers = { "X-CSRFToken": form.querySelector("[name=csrfmiddlewaretoken]").value };
    try {
      const answer = await fetch(form.dataset.preview, { method: "POST", body, headers });
      if (!answer.ok) return;
      const [words, isBad] = recognised(await answer.json());
      item.firstChild.append(make("span", isBad ? "seen bad" : "seen", words));
    } catch {
      /* No preview then; the receipt will tell. */
    }
  };

  const list = (form) => {
    const input = form.querySelector("#u-files");
    const files = [...input.files];
    const total = files.reduce((sum, file) => sum + file.size, 0);
    const most = Number(form.dataset.mostBytes);
    const items = make("ul", "chosen");
    const rows = files.map((file) => row(file.name, file.size, ""));
    items.append(...rows);
    files.slice(0, 20).forEach((file, at) => look(form, file, rows[at]));
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
      const isSent = event.detail.loaded === event.detail.total;
      form.querySelector("#u-state").textContent = isSent ? "Sent. It is being read." : "";
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
