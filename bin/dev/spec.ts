import { createHash } from "node:crypto";

/** One promise of a specification text. */
export interface Sentence {
  /** Heading that it stands under. */
  readonly at: string;
  /** First eight hex digits of the SHA-256 of its text, white space folded. */
  readonly from: string;
  readonly text: string;
}

/** Every sentence and every table row of a Markdown text. The head of a table says nothing on its own; its rows do. */
export function sentencesOf(markdown: string): Sentence[] {
  const found: Sentence[] = [];
  let at = "";
  for (const block of blocksOf(markdown)) {
    const heading = /^#+\s+(.*)$/.exec(block)?.[1];
    if (heading !== undefined) at = heading;
    else
      for (const text of block.startsWith("|") ? rowsOf(block) : split(block))
        found.push({ at, from: hash(text), text });
  }
  return found;
}

/** Headings, tables, list items and paragraphs, each as one piece. */
function blocksOf(markdown: string): string[] {
  const blocks: string[] = [];
  let open = "";
  const close = () => {
    if (open !== "") blocks.push(open);
    open = "";
  };
  for (const line of markdown.split("\n")) {
    const goesOn = line.startsWith("|") && open.startsWith("|");
    if (!goesOn && /^(?:\s*$|#|\||\s*[-*]\s|\s*\d+\.\s)/.test(line)) close();
    if (line.trim() === "") continue;
    open = open === "" ? line.trim() : `${open}\n${line.trim()}`;
    if (line.startsWith("#")) close();
  }
  close();
  return blocks;
}

const rowsOf = (table: string) => table.split("\n").slice(2).map(fold);

/** Fewer words than this are a lead-in ("Local proxy.") and belong to what follows. */
const LEAD_WORDS = 5;

/** Sentences of a paragraph. A full stop inside back quotes or before a small letter ends none. */
function split(block: string): string[] {
  const text = fold(block).replace(/^(?:[-*]|\d+\.)\s+/, "");
  const sentences: string[] = [];
  let lead = "";
  for (const part of text.split(/(?<=[.!?])\s+(?=[A-Z`(])/)) {
    const whole = lead === "" ? part : `${lead} ${part}`;
    if (lead === "" && part.split(" ").length < LEAD_WORDS) lead = whole;
    else {
      sentences.push(whole);
      lead = "";
    }
  }
  return lead === "" ? sentences : [...sentences, lead];
}

const fold = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** The mark by which an entry names its sentence. */
export const hash = (text: string) => createHash("sha256").update(fold(text)).digest("hex").slice(0, 8);
