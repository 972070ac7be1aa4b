// Keeps a page up to date by server-sent events. All that comes is set as text.
"use strict";

const link = document.getElementById("link");
const all = new Map(); // statuses by label
const changed = new Set(); // labels that are not drawn yet
let main = document.querySelector("main");
let rows = new Map(); // of the table, by label
let at = "", over = false, total = 0; // the run, as the events have it
let samples = []; // sums of the last ten seconds
const time = (text) => (text ? Date.parse(text) : 0);
const ended = (s) => s.state === "done" || s.state === "failed";
const times = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }); // made once: it is dear
const clock = (text) => times.format(new Date(text));
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const digits = (n) => n.toLocaleString("en-US");
const count = (n, noun) => digits(n) + " " + noun + (n === 1 ? "" : "s");
const put = (e, text) => { if (e && e.textContent !== String(text)) e.textContent = text; };
const set = (id, text) => put(document.getElementById(id), text);

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
  return why + (s.until && time(s.until) > Date.now() ? ", until " + clock(s.until) : "");
}

function verdict(s) {
  return (s.verdict || "") + (s.error ? ": " + s.error : "");
}

function span(seconds) {
  const h = Math.floor(seconds / 3600), m = Math.floor(seconds / 60) % 60, s = Math.floor(seconds) % 60;
  return (h ? h + "h" : "") + (h || m ? m + "m" : "") + s + "s";
}

// draw writes what has changed.
function draw() {
  const counts = { failed: 0, asking: 0, waiting: 0, reading: 0, queued: 0, done: 0 };
  for (const s of all.values()) counts[s.state]++;
  for (const state in counts) set("count-" + state, digits(counts[state]));
  const bar = document.getElementById("progress");
  if (bar && total) { bar.max = total; bar.value = counts.done + counts.failed; }
  for (const label of changed) table(all.get(label));
  changed.clear();
  slow();
}

// beat writes what changes by itself.
function beat() {
  const now = { at: Date.now(), requests: 0, records: 0 };
  let end = 0;
  for (const s of all.values()) {
    now.requests += s.requests;
    now.records += s.records;
    end = Math.max(end, s.end); // 0: it has ended, or nothing is known
  }
  samples = samples.filter((s) => s.at > now.at - 10500);
  samples.push(now);
  const first = samples[0], seconds = (now.at - first.at) / 1000;
  for (const what of ["requests", "records"]) {
    if (at) set("sum-" + what, digits(now[what]));
    set("rate-" + what, seconds > 0.5 && !over ? ((now[what] - first[what]) / seconds).toFixed(1) + " per second" : "");
  }
  set("left", end - now.at >= 1000 && !over ? "At least " + span((end - now.at) / 1000) + " to go." : "");
}

function slow() {
  const ul = document.getElementById("slow");
  if (!ul) return;
  const going = [...all.values()].filter((s) => !ended(s) && s.state !== "queued");
  going.sort((a, b) => b.end - a.end || a.began - b.began);
  ul.replaceChildren();
  for (const s of going.slice(0, 8)) {
    const li = make("li", "", ul);
    toSite(s.label, li);
    li.append(" " + (s.host || "") + ": " + (waits(s) || s.state));
  }
}

function table(s) {
  const body = document.querySelector("#all tbody");
  if (!body) return;
  let row = rows.get(s.label);
  if (!row) {
    row = document.createElement("tr");
    row.dataset.label = s.label;
    const head = make("th", "", row);
    head.scope = "row";
    toSite(s.label, head);
    for (let i = 0; i < 5; i++) make("td", "", row);
    body.append(row);
    rows.set(s.label, row);
  }
  if (row.dataset.state !== s.state) {
    row.dataset.state = s.state;
    if (s.state === "failed") body.prepend(row); // the others stay where they are: somebody may be about to click
  }
  [s.state, waits(s), digits(s.requests), digits(s.records), verdict(s)].forEach((text, i) => put(row.cells[i + 1], text));
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

// key is what the page of the run has as its key.
const key = () => at + (at && over ? " over" : "");

// collect finds the parts of a page that is new.
function collect() {
  rows = new Map();
  for (const row of document.querySelectorAll("#all tbody tr")) rows.set(row.dataset.label, row);
}

let renewing = false, wanted = false;

// renew has the server write the page again: another run, and an end, have other parts.
async function renew() {
  wanted = true;
  if (renewing) return;
  renewing = true;
  while (wanted || main.dataset.key !== key()) {
    wanted = false;
    await pause(100 + 400 * Math.random()); // many pages ask at once
    try {
      const answer = await fetch(location.pathname);
      if (answer.status === 404) return location.reload(); // it is none of this run
      if (!answer.ok) throw new Error(answer.status);
      replace(new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main"));
    } catch {
      wanted = true;
      await pause(2000);
    }
  }
  renewing = false;
}

function replace(next) {
  const typed = main.querySelector("input[name=label]:not([type=hidden])")?.value;
  main.replaceWith(next);
  main = next;
  const input = main.querySelector("input[name=label]:not([type=hidden])");
  if (typed && input) input.value = typed;
  collect();
  for (const label of all.keys()) changed.add(label);
  draw();
  beat();
}

let drawing = false;

function take(line, first) {
  if (first || line.run) {
    const run = line.run?.at || "";
    if (run !== at) { all.clear(); changed.clear(); samples = []; }
    at = run;
    over = false;
    total = line.run?.total || 0;
  }
  over = over || !!(line.end || line.cut_off);
  for (const s of line.statuses || []) {
    s.end = time(s.expected);
    s.began = time(s.since);
    all.set(s.label, s);
    changed.add(s.label);
  }
  if (first) document.querySelector("#requests tbody")?.replaceChildren();
  requests(line.requests || []);
  for (const s of line.statuses || []) {
    const what = waits(s), became = verdict(s);
    set("one", s.state + (what ? ": " + what : "") + "; " + count(s.requests, "request") + ", " + count(s.records, "record") + (became ? "; " + became : ""));
  }
  if (line.again || main.dataset.key !== key()) renew();
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => { drawing = false; draw(); });
}

function connect() {
  const events = new EventSource(document.body.dataset.live);
  events.addEventListener("picture", (e) => { link.hidden = true; take(JSON.parse(e.data), true); });
  events.addEventListener("line", (e) => take(JSON.parse(e.data), false));
  events.onerror = () => {
    link.hidden = false;
    if (events.readyState === EventSource.CLOSED) setTimeout(connect, 5000); // it was turned away: too many look
  };
}

// idle looks for what no event tells while no run is followed, unless somebody is about to do something.
function idle() {
  if ((!at || over) && !main.contains(document.activeElement)) renew();
}

collect();
connect();
setInterval(beat, 1000);
setInterval(idle, 30_000);
