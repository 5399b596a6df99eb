/**
 * What runs in pages, as text: none of it sees this program's types. A page may have changed every function that it calls, so its answers are
 * read like anything else that a page says.
 */

/** Values of password fields, and places of editable elements whose role does not say it, shadow trees included. */
export const MARKS = `(() => {
  const secrets = [], editable = [];
  const seen = (globalThis.__agentPasswords ??= new WeakSet());
  const visit = (root) => {
    for (const one of root.querySelectorAll("input, [contenteditable], *")) {
      if (one.shadowRoot) visit(one.shadowRoot);
      if (one.localName === "input") {
        if (one.type === "password") seen.add(one);
        if (seen.has(one) && one.value !== "" && secrets.length < 50) secrets.push(one.value);
      } else if (one.isContentEditable && !one.parentElement?.isContentEditable && editable.length < 200) {
        const box = one.getBoundingClientRect();
        editable.push([box.x, box.y, box.width, box.height].map(Math.round));
      }
    }
  };
  visit(document);
  return { secrets, editable };
})()`;

/** Resolves when the page has not changed for 100 ms, after 1 s at the latest. */
export const QUIET = `new Promise((resolve) => {
  let timer;
  const watch = new MutationObserver(() => again());
  const end = () => { watch.disconnect(); clearTimeout(timer); clearTimeout(last); resolve(true); };
  const again = () => { clearTimeout(timer); timer = setTimeout(end, 100); };
  const last = setTimeout(end, 1000);
  watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  again();
})`;

/** Scrolls what is under a point by most of its height. Null: a frame is there, which scrolls by itself. */
export const scrollScript = (x: number, y: number, down: boolean): string => `(() => {
  const page = document.scrollingElement ?? document.documentElement;
  let one = document.elementFromPoint(${x}, ${y});
  if (one?.localName === "iframe") return null;
  while (one?.shadowRoot?.elementFromPoint(${x}, ${y}) && one.shadowRoot.elementFromPoint(${x}, ${y}) !== one)
    one = one.shadowRoot.elementFromPoint(${x}, ${y});
  const scrolls = (it) => it.scrollHeight > it.clientHeight + 1 && /auto|scroll|overlay/.test(getComputedStyle(it).overflowY);
  while (one && one !== page && !scrolls(one)) one = one.parentElement ?? one.getRootNode().host;
  const it = one ?? page;
  const height = it === page ? innerHeight : it.clientHeight;
  it.scrollBy({ top: ${down ? 1 : -1} * Math.round(height * 0.8), behavior: "instant" });
  return { top: Math.round(it.scrollTop), end: Math.round(it.scrollHeight - height), page: it === page };
})()`;

/** Pictures of the page with their sizes. */
export const IMAGES = `[...document.images].slice(0, 2000).map((one) => ({
  src: one.currentSrc || one.src, alt: one.alt, width: one.naturalWidth, height: one.naturalHeight }))`;

/** A numbered frame around each place, in a layer that takes no clicks. */
export const drawScript = (
  boxes: readonly { readonly ref: string; readonly box: readonly number[] }[],
): string => `(() => {
  const layer = document.createElement("div");
  layer.id = "agent-annotations";
  layer.style.cssText = "all:initial;position:fixed;inset:0;z-index:2147483647;pointer-events:none";
  for (const { ref, box: [x, y, width, height] } of ${JSON.stringify(boxes)}) {
    const frame = document.createElement("div");
    frame.style.cssText = "position:absolute;box-sizing:border-box;border:2px solid #d00;left:" + x + "px;top:" + y + "px;width:" + width + "px;height:" + height + "px";
    const label = document.createElement("div");
    label.textContent = ref;
    label.style.cssText = "position:absolute;left:0;top:0;background:#d00;color:#fff;font:bold 11px sans-serif;padding:0 2px";
    frame.append(label);
    layer.append(frame);
  }
  document.documentElement.append(layer);
})()`;

export const ERASE = `document.getElementById("agent-annotations")?.remove()`;
