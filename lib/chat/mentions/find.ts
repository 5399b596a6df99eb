/** A file or folder that a user names in a message. */
export interface Mention {
  /** As it stands in the text. */
  readonly whole: string;
  readonly kind: "file" | "folder";
  /** Paths that may be meant, with the lines of them that are wanted, the likeliest first: what ends a sentence is no part of a name. */
  readonly forms: readonly Form[];
}

interface Form {
  readonly path: string;
  readonly from?: number;
  readonly to?: number;
}

const MENTION = /(?<![\w@/`])@(file|folder):(?:"([^"\n]{1,2000})"(?::(\d{1,9})(?:-(\d{1,9}))?)?|([^\s"`]{1,2000}))/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** What a text mentions, each once. What stands in a block of code is quoted and no mention. */
export function mentionsIn(text: string): readonly Mention[] {
  if (!/@(file|folder):/.test(text)) return [];
  const found = new Map<string, Mention>();
  for (const [whole, kind, quoted, from, to, plain] of outsideCode(text).matchAll(MENTION)) {
    const forms = quoted === undefined ? plainForms(plain ?? "") : [formOf(quoted, from, to)];
    if (!found.has(whole)) found.set(whole, { whole, kind: kind === "folder" ? "folder" : "file", forms });
  }
  return [...found.values()];
}

function formOf(path: string, from?: string, to?: string): Form {
  if (from === undefined) return { path };
  return { path, from: Math.max(1, Number(from)), to: Number(to ?? from) };
}

function plainForms(given: string): readonly Form[] {
  const short = withoutEnd(given);
  return [...new Set([given, short])].filter((path) => path !== "").flatMap(formsOf);
}

/** The signs that end a sentence, a quotation or a parenthesis. */
function withoutEnd(given: string): string {
  let end = given.length;
  while (end > 0 && ".,;:!?)]}>'*_".includes(given.charAt(end - 1))) end -= 1;
  return given.slice(0, end);
}

function formsOf(path: string): readonly Form[] {
  const [, name, from, to] = /^(.+):(\d{1,9})(?:-(\d{1,9}))?$/.exec(path) ?? [];
  return name === undefined ? [{ path }] : [{ path }, formOf(name, from, to)];
}

/** Lines of a fence that is as long as the one that opened it, and everything between, are blank. */
function outsideCode(text: string): string {
  let open: string | undefined;
  const lines = text.split("\n").map((line) => {
    const mark = FENCE.exec(line)?.[1];
    const inside = open !== undefined;
    if (open === undefined) open = mark;
    else if (mark?.startsWith(open) && line.trim() === mark) open = undefined;
    return inside || mark !== undefined ? "" : line;
  });
  return lines.join("\n");
}
