/* The run page: confirmations open as dialogs, and a poll that fails is said, not shown. */
(() => {
  const slot = document.getElementById("dialog-slot");
  let opener = "";

  const close = (dialog) => {
    dialog.remove();
    document.getElementById(opener)?.focus();
  };

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.target === slot) opener = event.detail.elt.id;
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target !== slot) return;
    const dialog = slot.querySelector("dialog");
    dialog?.addEventListener("close", () => close(dialog));
    dialog?.showModal();
    dialog?.querySelector("input:not([type=hidden])")?.select();
  });
  slot?.addEventListener("click", (event) => {
    const keep = event.target.closest("[data-close-dialog]");
    if (!keep) return;
    event.preventDefault();
    keep.closest("dialog").close();
  });

  const stale = (is) => {
    const note = document.getElementById("run-stale");
    if (note) note.hidden = !is;
  };
  for (const name of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.addEventListener(name, () => stale(true));
  }
  document.addEventListener("htmx:beforeSwap", (event) => {
    /* A session that ended answers with the login page: show that, not a piece of it. */
    const { xhr, requestConfig } = event.detail;
    if (xhr.responseURL && !xhr.responseURL.includes(requestConfig.path.split("?")[0])) {
      event.detail.shouldSwap = false;
      location.reload();
    }
  });
})();
