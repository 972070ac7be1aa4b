"use strict";

// Commands get a button that copies them.

(() => {
  const told = document.getElementById("told");

  // tell says something at the foot of the window, and to those who listen.
  function tell(text) {
    told.textContent = text;
  }

  // copy works from a file too, where a browser may keep the clipboard from pages: the old way is tried then, and if that
  // fails as well the command stands selected.
  async function copy(code) {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      return document.execCommand("copy");
    }
  }

  function addCopyButtons() {
    for (const line of document.querySelectorAll(".command")) {
      const code = line.querySelector("code");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        const done = await copy(code);
        button.textContent = done ? "Copied" : "Selected";
        tell((done ? "Copied: " : "Selected, copy it with the keyboard: ") + code.textContent);
      });
      button.addEventListener("blur", () => {
        button.textContent = "Copy";
        tell("");
      });
      line.append(" ", button);
    }
  }

  addCopyButtons();
})();
