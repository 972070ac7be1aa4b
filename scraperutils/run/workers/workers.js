"use strict";
// Asks every few seconds for what stands in an element with data-from, and puts it there where it has changed. Its text was escaped by the
// server.
for (const part of document.querySelectorAll("[data-from]")) {
  const note = document.getElementById("link");
  let shown = "";
  const ask = async () => {
    let reached = true;
    if (!document.hidden) {
      try {
        const answer = await fetch(part.dataset.from);
        const text = await answer.text();
        reached = answer.ok;
        if (answer.ok && text !== shown) {
          shown = text;
          part.innerHTML = text;
        }
      } catch {
        reached = false;
      }
      if (note) note.hidden = reached;
    }
    setTimeout(ask, 3000);
  };
  setTimeout(ask, 3000);
}
