/** As much of a document as is read here. Nothing of it runs. */
export interface PageNode {
  readonly nodeType: number;
  /** Elements: in capitals. */
  readonly nodeName: string;
  textContent: string | null;
  readonly parentNode: PageElement | null;
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
  remove(): void;
}

export interface PageElement extends PageNode {
  readonly children: Iterable<PageElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  getElementsByTagName(name: string): Iterable<PageElement>;
  replaceWith(...nodes: readonly (PageNode | string)[]): void;
  append(...nodes: readonly (PageNode | string)[]): void;
}

export interface PageDocument extends PageElement {
  readonly documentElement: PageElement | null;
  readonly body: PageElement | null;
  readonly title: string;
}

const ELEMENT = 1;
const COMMENT = 8;

export const isElement = (node: PageNode): node is PageElement => node.nodeType === ELEMENT;
export const isComment = (node: PageNode): boolean => node.nodeType === COMMENT;

/** The document of a page. Its scripts are not run and nothing is loaded. */
export async function parsePage(html: string): Promise<PageDocument> {
  const { parseHTML } = await import("linkedom");
  // A text without elements has no document element, and a part of a page no body.
  const inside = /<(head|body|frameset)[\s>]/i.test(html) ? html : `<head></head><body>${html}</body>`;
  const whole = /<html[\s>]/i.test(html) ? html : `<!doctype html><html>${inside}</html>`;
  return parseHTML(whole).document as unknown as PageDocument; // linkedom's document has all of these members
}

export async function parseXml(source: string): Promise<PageDocument> {
  const { DOMParser } = await import("linkedom");
  return new DOMParser().parseFromString(source, "text/xml") as unknown as PageDocument; // as above
}

/** Every node below one, parents first, without recursion. A node that is removed while it is visited takes its children along. */
export function* nodesBelow(root: PageNode): Generator<{ readonly node: PageNode; readonly depth: number }> {
  let node = root.firstChild;
  let depth = 1;
  while (node !== null) {
    const { parentNode, nextSibling } = node;
    yield { node, depth };
    const removed = node.parentNode === null;
    let next = removed ? nextSibling : (node.firstChild ?? node.nextSibling);
    if (!removed && node.firstChild !== null) depth += 1;
    let above: PageNode | null = removed ? parentNode : node.parentNode;
    while (next === null && above !== null && above !== root) {
      depth -= 1;
      next = above.nextSibling;
      above = above.parentNode;
    }
    node = next;
  }
}
