import { Fragment, options, type VNode } from "preact";
import { markBidi } from "../../base/text/bidi.js";

/** Attributes that people read. Values of fields stay as they are: they are edited and sent back. */
const READ = ["title", "aria-label", "placeholder", "alt", "label"] as const;

type Props = Record<string, unknown>;

/** Show bidirectional controls as marks in every text of the page, whichever component shows it. */
export function showBidiMarks(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    if (typeof vnode.type === "string" || vnode.type === Fragment) markProps(vnode);
    before?.(vnode);
  };
}

function markProps(vnode: VNode): void {
  const props = vnode.props as Props; // the properties of an element are a plain object, and no one has them yet
  if (props["children"] !== undefined) props["children"] = marked(props["children"]);
  for (const name of READ) if (typeof props[name] === "string") props[name] = markBidi(props[name]);
}

/** Children are texts, elements, and lists of both. */
function marked(child: unknown): unknown {
  if (typeof child === "string") return markBidi(child);
  return Array.isArray(child) ? child.map(marked) : child;
}
