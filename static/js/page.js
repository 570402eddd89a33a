/* Every page: toasts go after six seconds or by their button; a link to the view is copied. */
(() => {
  const closeToast = (toast) => toast.remove();
  for (const toast of document.querySelectorAll(".toasts-live .toast:not(.toast-bad)")) {
    setTimeout(closeToast, 6000, toast);
  }

  const say = (text) => {
    const live = document.getElementById("live");
    if (live) live.textContent = text;
  };

  const copyLink = async (button) => {
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
      say("The link to this view is copied.");
    } catch {
      prompt("Link to this view", location.href); /* no clipboard without https */
    }
  };

  document.addEventListener("click", (event) => {
    const close = event.target.closest("[data-close-toast]");
    if (close) closeToast(close.closest(".toast"));
    const copy = event.target.closest("[data-copy-link]");
    if (copy) copyLink(copy);
  });

  /* A menu closes on Escape and gives the focus back to its title. */
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = event.target.closest("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  /* Fields left empty stay out of the address. */
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.verb !== "get") return;
    for (const name of Object.keys(detail.parameters)) {
      if (detail.parameters[name] === "") delete detail.parameters[name];
    }
  });

  /* htmx announces what it swapped in. */
  document.addEventListener("htmx:afterSettle", (event) => {
    const message = event.detail.elt.dataset?.announce;
    if (message) say(message);
  });
})();
