"use strict";
// Everything from a bundle is put on the page as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const key = "bazaarbench-labels-" + data.digest;
const STAGES = ["S1", "S2", "S3", "S4", "S5"];
const byId = (id) => document.getElementById(id);
let state = { labeller: "", labels: {} };
let at = 0;

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(key));
    if (kept && kept.labels) state = kept;
  } catch (error) {
    // A browser may keep nothing for a local file; labels are then kept by saving them.
    byId("progress").title = String(error);
  }
}

function keep() {
  try {
    localStorage.setItem(key, JSON.stringify(state));
  } catch (error) {
    byId("progress").title = String(error);
  }
  progress();
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function labelOf(item, type) {
  return (state.labels[item.id] || {})[type];
}

function isDone(item) {
  return item.bundle.types.every((type) => labelOf(item, type));
}

function progress() {
  const done = data.items.filter(isDone).length;
  byId("progress").textContent = done + " of " + data.items.length + " labelled";
  [...byId("list").querySelectorAll("button")].forEach((button, index) => {
    button.classList.toggle("done", isDone(data.items[index]));
    button.setAttribute("aria-current", String(index === at));
  });
}

function isEntry(value) {
  return value && typeof value === "object" && !Array.isArray(value);
}

function plain(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function entry(value, actor) {
  const own = (value.by_agent_id ?? value.by ?? value.agent_id) === actor;
  const box = element("div", undefined, own ? "entry own" : "entry");
  const list = element("dl");
  for (const [name, inner] of Object.entries(value)) {
    list.append(element("dt", name), element("dd", plain(inner)));
  }
  box.append(list);
  return box;
}

function evidence(item) {
  const box = byId("evidence");
  box.replaceChildren();
  const actor = item.bundle.actor;
  box.append(element("p", "Judged actor: " + actor + " · highest stage: " + item.bundle.highest));
  const facts = element("dl");
  for (const [name, value] of Object.entries(item.bundle.content)) {
    if (isEntry(value) || (Array.isArray(value) && value.some(isEntry))) {
      box.append(element("h3", name));
      for (const one of Array.isArray(value) ? value : [value]) {
        box.append(isEntry(one) ? entry(one, actor) : element("p", plain(one)));
      }
    } else {
      facts.append(element("dt", name), element("dd", plain(value)));
    }
  }
  box.children[0].after(facts);
  box.append(element("h3", "sources"));
  for (const one of item.bundle.sources) box.append(entry(one, actor));
}

function choice(item, type, value, text) {
  const label = element("label");
  const input = element("input");
  input.type = "radio";
  input.name = type;
  input.value = value;
  const now = labelOf(item, type);
  input.checked = Boolean(now) && (now.stage || "none") === value;
  input.addEventListener("change", () => {
    const of = (state.labels[item.id] = state.labels[item.id] || {});
    const note = (of[type] || {}).note || "";
    of[type] = { unsafe: value !== "none", stage: value === "none" ? null : value, note };
    keep();
  });
  label.append(input, " " + text);
  return label;
}

function form(item) {
  const box = byId("form");
  box.replaceChildren();
  for (const type of item.bundle.types) {
    const field = element("fieldset");
    field.append(element("legend", type));
    field.append(choice(item, type, "none", "not unsafe"));
    for (const stage of STAGES) {
      if (stage <= item.bundle.highest) field.append(choice(item, type, stage, stage));
    }
    const note = element("input", undefined, "note");
    note.placeholder = "note (why)";
    note.setAttribute("aria-label", "note on " + type);
    note.value = (labelOf(item, type) || {}).note || "";
    note.addEventListener("input", () => {
      const now = labelOf(item, type);
      if (!now) return;
      now.note = note.value;
      keep();
    });
    field.append(note);
    box.append(field);
  }
}

function show(index) {
  at = Math.max(0, Math.min(data.items.length - 1, index));
  const item = data.items[at];
  byId("name").textContent = item.id;
  const types = item.bundle.types;
  byId("rubric").textContent =
    data.rubric.common + "\n" + types.map((type) => data.rubric[type] || "").join("\n");
  form(item);
  evidence(item);
  progress();
}

function rows() {
  const found = [];
  for (const item of data.items) {
    for (const type of item.bundle.types) {
      const one = labelOf(item, type);
      if (one) {
        found.push({ id: item.id, type, unsafe: one.unsafe, stage: one.stage,
          labeller: state.labeller, note: one.note || "" });
      }
    }
  }
  return found;
}

function cell(value) {
  let text = value === null ? "" : String(value);
  // A cell that begins like a formula would be run by a spreadsheet.
  if (/^[=+\-@\t\r]/.test(text)) text = "'" + text;
  return '"' + text.replaceAll('"', '""') + '"';
}

function save(name, text, type) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

load();
byId("labeller").value = state.labeller;
byId("labeller").addEventListener("input", (event) => {
  state.labeller = event.target.value;
  keep();
});
byId("previous").addEventListener("click", () => show(at - 1));
byId("next").addEventListener("click", () => show(at + 1));
byId("jsonl").addEventListener("click", () =>
  save("labels.jsonl", rows().map((row) => JSON.stringify(row) + "\n").join(""), "application/json"));
byId("csv").addEventListener("click", () => {
  const names = ["id", "type", "unsafe", "stage", "labeller", "note"];
  const lines = rows().map((row) => names.map((name) => cell(row[name])).join(","));
  save("labels.csv", [names.join(","), ...lines].join("\n") + "\n", "text/csv");
});
data.items.forEach((item, index) => {
  const line = element("li");
  const button = element("button", item.id);
  button.type = "button";
  button.addEventListener("click", () => show(index));
  line.append(button);
  byId("list").append(line);
});
if (data.items.length) show(0);
