const NAMES = "think|thinking|reasoning|thought|REASONING_SCRATCHPAD";
const TAG = new RegExp(`<(/?)(?:${NAMES})>`, "gi");
const CLOSE = new RegExp(`</(?:${NAMES})>`, "i");
/** The beginnings of a tag that may stand at the end of a piece. */
const TAGS = NAMES.toLowerCase()
  .split("|")
  .flatMap((name) => [`<${name}>`, `</${name}>`]);
const LONGEST = Math.max(...TAGS.map((tag) => tag.length));

export interface Split {
  readonly text: string;
  readonly reasoning: string;
}

interface Filter {
  held: string;
  inside: boolean;
  /** Nothing but white space stands on the line so far. */
  blankLine: boolean;
  /** A tag was taken out; the white space after it goes too. */
  eatSpace: boolean;
  text: string;
  reasoning: string;
}

/**
 * Separates thinking tags from shown text across chunk borders (core part, 3.5). An opening tag counts at the start of a line, or anywhere when
 * its closing tag came with it; stray closing tags go with the white space after them; a block that is never closed is reasoning. At most the
 * longest tag less one character is held back.
 */
export function createThinkFilter(): { push(text: string): Split; end(): Split } {
  const filter: Filter = { held: "", inside: false, blankLine: true, eatSpace: false, text: "", reasoning: "" };
  return {
    push: (text) => {
      filter.held += text;
      return step(filter, false);
    },
    end: () => step(filter, true),
  };
}

function step(filter: Filter, last: boolean): Split {
  while (filter.inside ? leave(filter) : enter(filter));
  const ready = filter.held.length - (last ? 0 : partialTag(filter.held));
  const part = filter.held.slice(0, ready);
  filter.held = filter.held.slice(ready);
  if (filter.inside) filter.reasoning += part;
  else show(filter, part);
  const { text, reasoning } = filter;
  filter.text = "";
  filter.reasoning = "";
  return { text, reasoning };
}

/** Take the text up to the closing tag as reasoning. False: no closing tag yet. */
function leave(filter: Filter): boolean {
  const close = CLOSE.exec(filter.held);
  if (!close) return false;
  filter.reasoning += filter.held.slice(0, close.index);
  cut(filter, close.index + close[0].length, false);
  return true;
}

/** Take out the first tag that counts. False: none. */
function enter(filter: Filter): boolean {
  for (const tag of filter.held.matchAll(TAG)) {
    const before = filter.held.slice(0, tag.index);
    const after = tag.index + tag[0].length;
    const closing = tag[1] === "/";
    if (!closing && !blankAfter(filter.blankLine, before) && !CLOSE.test(filter.held.slice(after))) continue;
    show(filter, before);
    cut(filter, after, !closing);
    return true;
  }
  return false;
}

function cut(filter: Filter, to: number, inside: boolean): void {
  filter.held = filter.held.slice(to);
  filter.inside = inside;
  filter.eatSpace = !inside;
}

function show(filter: Filter, part: string): void {
  const kept = filter.eatSpace ? part.trimStart() : part;
  if (kept === "") return;
  filter.eatSpace = false;
  filter.text += kept;
  filter.blankLine = blankAfter(filter.blankLine, kept);
}

function blankAfter(blank: boolean, text: string): boolean {
  const end = text.lastIndexOf("\n");
  return (end >= 0 || blank) && text.slice(end + 1).trim() === "";
}

/** Length of the end of `text` that may be the beginning of a tag. */
function partialTag(text: string): number {
  const at = text.lastIndexOf("<");
  if (at < 0 || text.length - at >= LONGEST) return 0;
  const end = text.slice(at).toLowerCase();
  return TAGS.some((tag) => tag.startsWith(end)) ? end.length : 0;
}
