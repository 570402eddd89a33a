/* Draws every [data-chart] from the JSON beside it. Colours come as names of tokens and are read
   from a probe element, since getPropertyValue does not resolve light-dark(). Drawn anew when the
   theme or the width changes. A click on a point opens what is behind it. */
(() => {
  const NARROW = 720;

  const probe = document.createElement("span");
  probe.className = "probe";
  probe.setAttribute("aria-hidden", "true");
  document.body.append(probe);

  const meaning = (token) => {
    const [name, alpha] = token.split("/");
    probe.style.color = `var(${name})`;
    const colour = getComputedStyle(probe).color;
    if (!alpha) return colour;
    const share = getComputedStyle(document.documentElement).getPropertyValue("--band-alpha").trim();
    return colour.replace("rgb(", "rgba(").replace(")", `, ${share})`);
  };

  const coloured = (value, key = "") => {
    if (Array.isArray(value)) return value.map((item) => coloured(item, key));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, coloured(item, name)]));
    }
    const isToken = typeof value === "string" && value.startsWith("--") && /color$/.test(key);
    return isToken ? meaning(value) : value;
  };

  /* On a phone names go below the chart, changes carry their number alone (the list below says
     what they are) and ticks are thinned: text keeps its size. */
  const fitted = (figure, width) => {
    const { layout } = figure;
    layout.width = width;
    if (width >= NARROW) return figure;
    const lines = figure.data.filter((trace) => trace.showlegend !== false).length;
    layout.showlegend = lines > 1;
    layout.margin = { ...layout.margin, r: 12, t: 28, b: lines > 1 ? 72 : 28 };
    layout.annotations = layout.annotations.filter((note) => note.name !== "line end");
    layout.annotations.filter((note) => note.name === "change").forEach((note, at) => {
      note.text = `(${at + 1})`;
    });
    const every = Math.ceil(layout.xaxis.tickvals.length / 5);
    layout.xaxis.tickvals = layout.xaxis.tickvals.filter((_, at) => at % every === 0);
    layout.xaxis.ticktext = layout.xaxis.ticktext.filter((_, at) => at % every === 0);
    return figure;
  };

  const draw = (chart) => {
    const source = document.getElementById(chart.dataset.chart);
    if (!source || !window.Plotly) return;
    const figure = fitted(coloured(JSON.parse(source.textContent)), chart.clientWidth);
    figure.layout.font.family = getComputedStyle(document.body).fontFamily;
    window.Plotly.react(chart, figure.data, figure.layout, { displayModeBar: false });
    if (chart.dataset.ready) return;
    chart.dataset.ready = "1";
    chart.on("plotly_click", ({ points }) => {
      const link = points[0]?.customdata;
      if (link) location.assign(link);
    });
  };

  const drawAll = () => document.querySelectorAll("[data-chart]").forEach(draw);

  let waiting;
  const drawSoon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 120);
  };
  new MutationObserver(drawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  addEventListener("resize", drawSoon);
  document.addEventListener("htmx:afterSettle", drawAll);
  document.addEventListener("change", (event) => event.target.closest(".either") && drawSoon());
  drawAll();
})();
