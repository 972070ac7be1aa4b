// One step of a behavior in one frame. It has the actions, how often each was done, and how many were done in all; it returns what it did, or
// null: {action, did, selector, x, y, links}. Where x is there, whoever called has to move the mouse to it, and to click if it did "click".
(actions, counts) => {
  const state = globalThis.behaviorState ??= {done: new WeakSet(), children: new WeakSet(), pending: null, took: null};
  const visible = (e) => {
    if (!e.isConnected || e.getClientRects().length === 0) return false;
    const style = getComputedStyle(e);
    const box = e.getBoundingClientRect();
    return style.visibility !== "hidden" && style.display !== "none" && box.width > 0 && box.height > 0;
  };
  const all = (selector, root = document) => {
    try { return selector ? [...root.querySelectorAll(selector)] : []; } catch { return []; }
  };
  const links = () => all("a[href], area[href]").map((a) => a.href).filter((l) => typeof l === "string");
  const reach = (e, action, did, selector) => {
    e.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
    const box = e.getBoundingClientRect();
    const x = Math.min(Math.max(box.left + box.width / 2, 0), innerWidth - 1), y = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1);
    const hit = document.elementFromPoint(x, y);
    const step = {action, did, selector};
    if (hit && (hit === e || e.contains(hit) || hit.contains(e) && hit.closest("label, a, button") )) return {...step, x, y};
    if (did === "click") e.click(); // something lies over it
    else e.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
    return step;
  };
  const scroll = (action) => {
    const move = (e, height) => {
      const before = e.scrollTop;
      e.scrollBy({top: 0.8 * height, behavior: "instant"});
      return e.scrollTop > before + 1;
    };
    const root = document.scrollingElement;
    if (root && move(root, innerHeight)) return {action, did: "scroll", selector: ""};
    for (const e of all("main, section, article, div, ul, ol")) { // pages that scroll inside
      if (e.scrollHeight > e.clientHeight + 50 && e.clientHeight > innerHeight / 3 && e.clientWidth > innerWidth / 3 && /auto|scroll/.test(getComputedStyle(e).overflowY) && move(e, e.clientHeight))
        return {action, did: "scroll", selector: ""};
    }
    return null;
  };
  const one = (a, i) => {
    for (const e of all(a.rmSelector)) {
      if (visible(e)) { e.remove(); return {action: i, did: "remove", selector: a.rmSelector}; }
    }
    for (const e of all(a.closeSelector)) {
      if (visible(e) && !state.children.has(e)) { state.children.add(e); return reach(e, i, "click", a.closeSelector); }
    }
    if (state.pending === i) {
      for (const e of all(a.childSelector)) {
        if (visible(e) && !state.children.has(e)) { state.children.add(e); return reach(e, i, "click", a.childSelector); }
      }
      state.pending = null;
    }
    if (a.limit && counts[i] >= a.limit) return null;
    if (a.do === "scroll") return scroll(i);
    const until = a.repeatUntilSelector && !all(a.repeatUntilSelector).some(visible);
    let targets = all(a.selector);
    if (a.firstMatchOnly) targets = targets.slice(0, 1);
    for (const e of targets) {
      const again = a.repeatSameElement && !a.repeatUntilSelector || until;
      if (state.done.has(e) && !again || e.disabled) continue;
      if (a.do === "play") {
        state.done.add(e);
        e.muted = true;
        if (e.paused) { e.play?.()?.catch(() => {}); return {action: i, did: "play", selector: a.selector}; }
        continue;
      }
      if (!visible(e)) continue;
      state.done.add(e);
      if (a.childSelector) state.pending = i;
      return {...reach(e, i, a.do, a.selector), counts: true};
    }
    return null;
  };
  for (let i = 0; i < actions.length; i++) {
    const step = one(actions[i], i);
    if (!step) continue;
    if (step.did === "play") step.counts = true;
    if (state.took !== null) step.links = links(); // what the last one has brought, before this one takes it away
    state.took = actions[i].extractOutlinks ? i : null;
    return step;
  }
  if (state.took === null) return null;
  const last = {action: state.took, did: "links", selector: "", links: links()};
  state.took = null;
  return last;
}
