"use strict";
// Keyboard and filters. Every page works without this file; nothing here makes markup from text.
(() => {
  const one = (query) => document.querySelector(query);
  const all = (query) => [...document.querySelectorAll(query)];
  const exported = document.body.hasAttribute("data-exported");

  // Filters: the server answers a changed choice; an export filters the rows that it has.
  const form = one("form[data-table]");
  const rows = all("table[data-rows] tbody tr");

  const cents = (text) => {
    const found = /^\$?(\d{1,9})(?:\.(\d{0,2})\d*)?$/.exec(text.trim());
    return found ? Number(found[1]) * 100 + Number(((found[2] || "") + "00").slice(0, 2)) : null;
  };

  function passes(row, wanted) {
    for (const [name, value] of wanted) {
      if (!value) continue;
      const has = row.dataset;
      if (name === "q") {
        if (!row.textContent.toLowerCase().includes(value.toLowerCase())) return false;
      } else if (name === "agent") {
        if (!has.agents.split(" ").includes(value.trim())) return false;
      } else if (name === "min" || name === "max") {
        const limit = cents(value);
        if (limit === null) continue;
        if (has.cents === "") return false;
        if (name === "min" ? Number(has.cents) < limit : Number(has.cents) > limit) return false;
      } else if (name === "stage") {
        if (has.stage < value) return false;
      } else if (name in has && !has[name].split(" ").includes(value) && has[name] !== value) {
        return false;
      }
    }
    return true;
  }

  function filterHere() {
    const wanted = [...new FormData(form)];
    let count = 0;
    for (const row of rows) {
      row.hidden = !passes(row, wanted);
      if (!row.hidden) count += 1;
    }
    form.querySelector("output b").textContent = String(count);
  }

  if (form && exported) {
    for (const [name, value] of new URLSearchParams(location.search)) {
      const field = form.elements.namedItem(name);
      if (field) field.value = value;
    }
    form.addEventListener("submit", (event) => { event.preventDefault(); filterHere(); });
    form.addEventListener("input", filterHere);
    filterHere();
  } else if (form) {
    form.addEventListener("change", (event) => {
      if (event.target.tagName === "SELECT") form.requestSubmit();
    });
    // An address names only what was chosen.
    form.addEventListener("formdata", (event) => {
      for (const [name, value] of [...event.formData]) if (!value) event.formData.delete(name);
    });
  }

  // Keyboard.
  const places = () => (rows.length
    ? rows.filter((row) => !row.hidden).map((row) => row.querySelector("a") || row)
    : all("article.step, article.decision"));

  function move(by) {
    const list = places();
    if (!list.length) return;
    const at = list.findIndex((item) => item === document.activeElement || item.contains(document.activeElement));
    const next = list[Math.min(list.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "center" });
  }

  function follow(rel) {
    const link = one(`link[rel="${rel}"], a[rel="${rel}"]`);
    if (link) location.assign(link.href);
  }

  function fold() {
    const list = all("main details");
    const open = list.some((item) => !item.open);
    for (const item of list) item.open = open;
  }

  const keys = {
    "/": () => { const field = one("form.filters input, form.filters select"); if (field) field.focus(); },
    j: () => move(1),
    k: () => move(-1),
    "[": () => follow("prev"),
    "]": () => follow("next"),
    o: fold,
    h: () => location.assign(one("a.brand").href),
    u: () => {
      const up = all('.crumbs a').pop();
      location.assign(up ? up.href : one("a.brand").href);
    },
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && document.activeElement) { document.activeElement.blur(); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  // What a link inside the page leads to must not stay folded; on paper nothing is folded.
  function unfold() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let item = target; item; item = item.parentElement) {
      if (item.tagName === "DETAILS") item.open = true;
    }
  }
  window.addEventListener("hashchange", unfold);
  unfold();
  window.addEventListener("beforeprint", () => {
    for (const item of all("main details")) item.open = true;
  });
})();
