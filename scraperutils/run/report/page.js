// Everything that this page says stands in its HTML already. This script adds to it:
//
//   - the table can be sorted and filtered. Its state is the address's fragment, such as #sort=records&desc=1&filter=dns:
//     a click or a key changes the fragment, and the fragment changes the table;
//   - the days of a strip can be read by touch and by keyboard.

(() => {
  const table = document.getElementById("table");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells).filter((head) => head.dataset.key);
  const filter = document.getElementById("filter");
  const selects = Array.from(document.querySelectorAll(".filter select"));
  const shown = document.getElementById("shown");
  const told = document.getElementById("told");

  // tell says something at the foot of the window, and to those who listen.
  function tell(text) {
    told.textContent = text;
  }

  // ---- the state in the fragment

  // A fragment without "=" is the name of a place in the page and no state.
  function state() {
    const words = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : kept);
    const head = heads.find((h) => h.dataset.key === words.get("sort")) || heads[0];
    const now = { head, desc: words.get("desc") === "1", filter: words.get("filter") || "" };
    for (const select of selects) {
      now[select.id] = words.get(select.id) || "";
    }
    return now;
  }

  let kept = ""; // the last fragment that was a state

  function change(changes) {
    const next = { ...state(), ...changes };
    const words = new URLSearchParams({ sort: next.head.dataset.key });
    if (next.desc) {
      words.set("desc", "1");
    }
    for (const each of [filter, ...selects]) {
      if (next[each.id]) {
        words.set(each.id, next[each.id]);
      }
    }
    location.replace("#" + words); // and hashchange follows; the way back stays short
  }

  function apply() {
    if (location.hash.includes("=")) {
      kept = location.hash.slice(1);
    }
    const now = state();
    sortBy(now.head, now.desc);
    filterBy(now);
    reachStrip();
  }

  // ---- sorting

  function isNumber(head) {
    return head.classList.contains("n") && head.dataset.key !== "last";
  }

  // value is what a cell sorts by: a number where it has one beside its text.
  function value(row, column) {
    const cell = row.cells[column];
    return "v" in cell.dataset ? Number(cell.dataset.v) : cell.textContent;
  }

  function compare(a, b) {
    return a < b ? -1 : a > b ? 1 : 0;
  }

  function sortBy(head, desc) {
    const column = head.cellIndex;
    const sorted = rows.map((row) => ({ row, value: value(row, column), label: value(row, 0) }));
    sorted.sort((a, b) => (desc ? compare(b.value, a.value) : compare(a.value, b.value)) || compare(a.label, b.label));
    body.append(...sorted.map((each) => each.row));
    for (const each of heads) {
      each.removeAttribute("aria-sort");
    }
    head.setAttribute("aria-sort", desc ? "descending" : "ascending");
  }

  // sortOn turns the order of the column that sorts already; of another it begins where the interesting end is.
  function sortOn(head) {
    const now = state();
    const worstFirst = isNumber(head) || head.dataset.key === "verdict";
    change({ head, desc: head === now.head ? !now.desc : worstFirst });
  }

  function addSortButtons() {
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortOn(head));
      head.append(button);
    }
  }

  // ---- filtering

  function filterBy(now) {
    const words = now.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = selects.filter((select) => now[select.id]).map((select) => ({ column: column(select.id), value: now[select.id] }));
    let count = 0;
    for (const row of rows) {
      const said = [0, 1, 2, 3].map((i) => row.cells[i].textContent.toLowerCase()).join(" ");
      const has = (each) => (row.cells[each.column].querySelector(".verdict") || row.cells[each.column]).textContent === each.value;
      row.hidden = !words.every((word) => said.includes(word)) || !wanted.every(has);
      count += row.hidden ? 0 : 1;
    }
    shown.textContent = words.length + wanted.length ? count + " of " + rows.length : "";
    for (const each of [filter, ...selects]) {
      if (each.value !== now[each.id]) {
        each.value = now[each.id];
      }
    }
  }

  function column(key) {
    return heads.find((head) => head.dataset.key === key).cellIndex;
  }

  // ---- strips

  let day = null; // the cell that is told, or null

  // reachStrip puts the first strip that is shown, and no other, on the way of the tab key.
  function reachStrip() {
    let first = true;
    for (const strip of body.querySelectorAll("tr .strip")) {
      strip.tabIndex = first && !strip.closest("tr").hidden ? 0 : -1;
      first = first && strip.tabIndex < 0;
    }
  }

  function tellDay(cell) {
    if (day) {
      day.classList.remove("told");
    }
    day = cell;
    if (!cell) {
      tell("");
      return;
    }
    cell.classList.add("told");
    tell(cell.closest("tr").cells[0].textContent + ", " + cell.title);
  }

  // sideStrip is the strip in the next row that is shown, up (-1) or down (1).
  function sideStrip(strip, step) {
    const siblings = step < 0 ? "previousElementSibling" : "nextElementSibling";
    let row = strip.closest("tr")[siblings];
    while (row && row.hidden) {
      row = row[siblings];
    }
    return row && row.querySelector(".strip");
  }

  function moveDay(event) {
    const strip = event.target.closest(".strip");
    if (!strip) {
      return;
    }
    const at = day && day.parentNode === strip ? Array.prototype.indexOf.call(strip.children, day) : strip.children.length - 1;
    const last = strip.children.length - 1;
    let next = null;
    switch (event.key) {
      case "ArrowLeft": next = strip.children[Math.max(0, at - 1)]; break;
      case "ArrowRight": next = strip.children[Math.min(last, at + 1)]; break;
      case "Home": next = strip.children[0]; break;
      case "End": next = strip.children[last]; break;
      case "ArrowUp":
      case "ArrowDown": {
        const other = sideStrip(strip, event.key === "ArrowUp" ? -1 : 1);
        next = other && other.children[at];
        break;
      }
      default: return;
    }
    event.preventDefault();
    if (next) {
      next.parentNode.focus();
      tellDay(next);
    }
  }

  function followStrips() {
    body.addEventListener("keydown", moveDay);
    body.addEventListener("focusin", (event) => {
      if (event.target.classList.contains("strip") && event.target.matches(":focus-visible")) {
        tellDay(event.target.lastElementChild);
      }
    });
    body.addEventListener("focusout", () => tellDay(null));
    body.addEventListener("click", (event) => {
      const cell = event.target.closest(".strip > i");
      if (cell) {
        cell.parentNode.focus();
        tellDay(cell);
      }
    });
  }

  filter.closest("p").hidden = false;
  for (const each of [filter, ...selects]) {
    each.addEventListener("input", () => change({ [each.id]: each.value }));
  }
  addEventListener("hashchange", apply);
  addSortButtons();
  followStrips();
  apply();
})();
