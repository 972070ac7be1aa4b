"use strict";

// The page says what was so when it was loaded. This script puts in what the server tells since. All of it is set as text.

(() => {
  const at = (id) => document.getElementById(id);
  const count = (n) => n.toLocaleString("en");

  function failure(bad) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const verdict = document.createElement("b");
    link.href = bad.page;
    link.textContent = bad.authority;
    verdict.textContent = bad.verdict + " " + bad.failure_class;
    item.append(link, " ", verdict, " " + bad.error);
    return item;
  }

  let failed = ""; // the failures that stand in the page

  function show(now) {
    at("state").textContent = now.goes_on ? "The run goes on" : "No run goes on";
    at("bar").max = Math.max(1, now.total);
    at("bar").value = now.done;
    at("counts").textContent = count(now.done) + " of " + count(now.total) + " done, " + count(now.bad.length) + " failed, " +
      count(now.records) + " records, " + count(now.requests) + " requests";
    at("tocome").textContent = now.to_come.join(", ");
    const labels = JSON.stringify(now.bad);
    if (labels !== failed) { // a list that stays lets a reader keep the place
      at("bad").replaceChildren(...now.bad.map(failure));
      failed = labels;
    }
  }

  const events = new EventSource("/events");
  events.addEventListener("now", (event) => show(JSON.parse(event.data)));
})();
