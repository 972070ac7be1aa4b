// Keeps a page up to date by server-sent events. All that comes is set as text.
"use strict";

const page = document.body;
const link = document.getElementById("link");
const all = new Map(); // statuses by label
let run = null, rates = [], drawing = false;
const states = ["done", "failed", "asking", "waiting", "reading", "queued"];
const urgency = { failed: 0, asking: 1, waiting: 2, reading: 3, queued: 4, done: 5 };
const clock = (text) => new Date(text).toLocaleTimeString([], { hour12: false });
const set = (id, text) => { const e = document.getElementById(id); if (e && e.textContent !== String(text)) e.textContent = text; };

function make(name, text, parent) {
  const e = document.createElement(name);
  e.textContent = text;
  parent.append(e);
  return e;
}

function toSite(label, parent) {
  make("a", label, parent).href = "/site/" + encodeURIComponent(label);
}

function waits(s) {
  const why = s.state === "asking" ? "its answer" : s.rule || "";
  return why + (s.until && new Date(s.until) > new Date() ? " until " + clock(s.until) : "");
}

function verdict(s) {
  return (s.verdict || "") + (s.error ? ": " + s.error : "");
}

// draw writes what has changed since it was called before, at most once a frame.
function draw(changed) {
  drawing = false;
  const list = [...all.values()];
  for (const state of states) set("count-" + state, list.filter((s) => s.state === state).length);
  const sums = { requests: 0, records: 0 };
  for (const s of list) { sums.requests += s.requests; sums.records += s.records; }
  set("sum-requests", sums.requests);
  set("sum-records", sums.records);
  rates.push({ at: Date.now(), ...sums });
  rates = rates.filter((r) => r.at > Date.now() - 10000);
  const first = rates[0], seconds = (Date.now() - first.at) / 1000;
  for (const what of ["requests", "records"]) set("rate-" + what, seconds > 1 ? ((sums[what] - first[what]) / seconds).toFixed(1) + " a second" : "");
  const bar = document.getElementById("progress");
  if (bar && run) { bar.max = run.total; bar.value = list.filter((s) => s.state === "done" || s.state === "failed").length; }
  slow(list);
  left(list);
  table(changed);
}

function slow(list) {
  const ul = document.getElementById("slow");
  if (!ul) return;
  const waiting = list.filter((s) => s.state === "waiting" || s.state === "asking").sort((a, b) => (a.since || "").localeCompare(b.since || "")).slice(0, 8);
  ul.replaceChildren();
  for (const s of waiting) {
    const li = make("li", "", ul);
    toSite(s.label, li);
    li.append(" " + (s.host || "") + ": " + waits(s));
  }
}

// left says how long the run goes on at least: what each took last time, and the rest that its host is known to need.
function left(list) {
  if (!run) return;
  const gone = (Date.now() - new Date(run.at)) / 1000;
  let most = 0;
  for (const s of list) {
    if (s.state === "done" || s.state === "failed") continue;
    most = Math.max(most, (s.usual || 0) - gone, s.until ? (new Date(s.until) - Date.now()) / 1000 : 0);
  }
  set("left", most >= 1 ? "About " + Math.round(most) + " seconds to go." : "");
}

function table(changed) {
  const body = document.querySelector("#all tbody");
  if (!body) return;
  for (const label of changed) {
    const s = all.get(label);
    let row = body.querySelector('tr[data-label="' + CSS.escape(label) + '"]');
    if (!row) {
      row = document.createElement("tr");
      row.dataset.label = label;
      const head = make("th", "", row);
      head.scope = "row";
      toSite(label, head);
      for (let i = 0; i < 5; i++) make("td", "", row);
      body.append(row);
    }
    if (row.dataset.state !== s.state) {
      row.dataset.state = s.state;
      if (urgency[s.state] === 0) body.prepend(row);
      if (urgency[s.state] === 5) body.append(row);
    }
    const texts = [s.state, waits(s), s.requests, s.records, verdict(s)];
    texts.forEach((text, i) => { const cell = row.cells[i + 1]; if (cell.textContent !== String(text)) cell.textContent = text; });
  }
}

function requests(list) {
  const body = document.querySelector("#requests tbody");
  if (!body) return;
  for (const r of list) {
    const row = document.createElement("tr");
    make("td", clock(r.at), row);
    make("td", r.method + " " + r.url, row).className = "url";
    make("td", (r.status || "") + " " + (r.error || ""), row);
    make("td", Math.round(r.took / 1e6) + "ms", row);
    body.prepend(row);
    if (body.rows.length > 50) body.lastElementChild.remove();
  }
}

const changed = new Set();

function take(line) {
  if (line.run && (!run || run.at !== line.run.at)) {
    if (run || !document.getElementById("all") && !document.getElementById("one")) return location.reload(); // another run: its page has other parts
    run = line.run;
  }
  if (line.end) return location.reload();
  for (const s of line.statuses || []) { all.set(s.label, s); changed.add(s.label); }
  if (line.requests) requests(line.requests);
  const one = document.getElementById("one");
  if (one) for (const s of line.statuses || []) {
    one.textContent = s.state + ": " + waits(s) + "; " + s.requests + " requests, " + s.records + " records; " + verdict(s);
  }
  if (!drawing) {
    drawing = true;
    requestAnimationFrame(() => { const now = [...changed]; changed.clear(); draw(now); });
  }
}

const events = new EventSource(page.dataset.live);
let ended = false;
events.addEventListener("picture", (e) => {
  link.hidden = true;
  const line = JSON.parse(e.data);
  ended = !!line.end || !line.run;
  const body = document.querySelector("#requests tbody");
  if (body) body.replaceChildren();
  delete line.end;
  if (!ended) take(line);
  else if (line.requests) requests(line.requests);
});
events.addEventListener("line", (e) => {
  const line = JSON.parse(e.data);
  if (ended && line.run || !ended && Object.keys(line).length === 0) return location.reload();
  take(line);
});
events.onerror = () => { link.hidden = false; };
