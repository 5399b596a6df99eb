import { type Block, closes, type Fence, fenceOf, ITEM, type Outline, RUN } from "./block.js";

const MOST_LINES = 200; // a block that grows above it is sealed, so that a frame never lays out more (design: viewport and Markdown)

/** The outline with a piece more. A blank line outside a fence, the end of a fence, and many lines seal a block. */
export function grow(outline: Outline, piece: string): Outline {
  if (piece === "") return outline;
  const draft = new Draft(outline);
  let at = 0;
  for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", at)) {
    draft.text += piece.slice(at, end + 1);
    draft.endLine();
    at = end + 1;
  }
  draft.text += piece.slice(at);
  return draft.outline();
}

/** The outline while a piece is taken in. */
class Draft {
  text: string;
  readonly #sealed: Outline["sealed"];
  #added: Block[] = [];
  #open: Block;
  #fence: Fence | undefined;
  #lines: number;
  #line: number;
  #list: boolean;
  #blank: boolean;
  readonly #most: number | undefined;

  constructor(from: Outline) {
    this.text = from.open.text;
    this.#sealed = from.sealed;
    this.#open = from.open;
    this.#fence = from.fence;
    this.#lines = from.lines;
    this.#line = from.line;
    this.#list = from.list;
    this.#blank = from.blank;
    this.#most = from.most;
  }

  /** A line has ended: the one that begins at `#line`. */
  endLine(): void {
    const line = this.text.slice(this.#line, -1);
    if (this.#fence !== undefined) this.#inFence(line, this.#fence);
    else if (line.trim() === "") this.#seal(true);
    else this.#plain(line);
  }

  #plain(line: string): void {
    const opened = fenceOf(line);
    const alone = opened !== undefined && !this.#list && ITEM.exec(this.text) === null;
    if (alone && this.#line > 0) this.#sealBefore();
    this.#fence = opened;
    this.#count();
  }

  #inFence(line: string, fence: Fence): void {
    const closed = closes(line, fence);
    if (closed) this.#fence = undefined;
    if (closed && !ITEM.test(this.text)) this.#seal(false);
    else this.#count();
  }

  #count(): void {
    this.#lines += 1;
    this.#line = this.text.length;
    if (this.#lines >= (this.#most ?? MOST_LINES)) this.#seal(false);
  }

  /** The paragraph before a fence that follows it at once. */
  #sealBefore(): void {
    const rest = this.text.slice(this.#line);
    this.text = this.text.slice(0, this.#line);
    this.#seal(false);
    this.text = rest;
  }

  #seal(blank: boolean): void {
    const text = this.text.replace(/\n+$/, "");
    const fence = this.#fence;
    if (text.trim() !== "" || this.#open.inside !== undefined) {
      const block = this.#finished(text);
      this.#added.push(block);
      this.#list = block.inside === undefined && (ITEM.test(text) || block.nested > 0);
      this.#blank = false;
    }
    this.#blank ||= blank;
    this.text = "";
    this.#lines = 0;
    this.#line = 0;
    this.#open = {
      text: "",
      inside: fence?.lang,
      gap: fence === undefined && this.#some(),
      nested: fence === undefined ? 0 : this.#open.nested,
    };
  }

  #some(): boolean {
    return this.#added.length > 0 || this.#sealed.length > 0;
  }

  #finished(text: string): Block {
    const nested = this.#list && this.#open.inside === undefined ? indentOf(text) : this.#open.nested;
    const item = this.#list && ITEM.test(text);
    return { ...this.#open, text, nested, gap: this.#open.gap && (this.#blank || !item) };
  }

  outline(): Outline {
    const sealed = this.#added.length === 0 ? this.#sealed : withBlocks(this.#sealed, this.#added);
    const most = this.#most === undefined ? {} : { most: this.#most };
    const rest = {
      fence: this.#fence,
      lines: this.#lines,
      line: this.#line,
      list: this.#list,
      blank: this.#blank,
      ...most,
    };
    return {
      sealed,
      open: this.text.trim() === "" ? { ...this.#open, text: this.text } : this.#finished(this.text),
      ...rest,
    };
  }
}

function withBlocks(sealed: Outline["sealed"], added: readonly Block[]): Outline["sealed"] {
  const full = sealed.slice(0, -1);
  const last = [...(sealed.at(-1) ?? []), ...added];
  for (let at = 0; at < last.length; at += RUN) full.push(last.slice(at, at + RUN));
  return full;
}

const indentOf = (text: string): number => {
  const indent = /^ */.exec(text)?.[0].length ?? 0;
  return indent >= 2 ? indent : 0;
};
