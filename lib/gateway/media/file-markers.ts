import { MEDIA_EXTENSIONS } from "./file-kinds.js";

/** A file that a text names. `bare`: it may be just a path that is talked about. */
export interface Marker {
  readonly path: string;
  readonly bare: boolean;
  /** It is the address of a picture elsewhere. */
  readonly remote: boolean;
  readonly start: number;
  readonly end: number;
}

/** What a text asks for beside what it says. */
export interface Marked {
  readonly markers: readonly Marker[];
  readonly voice: boolean;
  readonly document: boolean;
}

const EXTENSIONS = [...MEDIA_EXTENSIONS, "[A-Za-z0-9]{1,8}"];
// A path with spaces ends before the next marker.
const PATH = `(?:~|/)(?:(?!MEDIA:)[^\\n"'\`<>|*?])*?`;
const END = `(?=[\\s)\\].,;:!*_]*(?:\\s|$))`;
/** `MEDIA:` and a path; one with spaces ends with its extension. The end of a sentence or of a bold text is left out. */
const MEDIA = new RegExp(
  `(?<![\\w"'])MEDIA:[ ]?(${PATH}\\.(?:${EXTENSIONS.join("|")})${END}|(?:~|/)[^\\s"'\`]+?${END})`,
  "g",
);
const BARE = new RegExp(
  `(?<=^|[\\s(])((?:~/|/)[^\\s"'\`<>()|*?]+\\.(?:${MEDIA_EXTENSIONS.join("|")}))(?=$|[\\s).,;:!])`,
  "gim",
);
const IMAGE = /!\[[^\]\n]*\]\((~?\/[^)\n]+)\)/g;
const ADDRESS = /!\[[^\]\n]*\]\([ ]*<?(https?:\/\/(?:[^\s()<>]|\([^\s()<>]*\))+)>?[ ]*\)/gi;
const TAG = /<img\b[^>\n]*?\ssrc[ ]*=[ ]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'>]+))[^>\n]*>/gi;
const CODE = /```[\s\S]*?(?:```|(?![\s\S]))|`[^`\n]*`|^[ \t]*>.*$/gm;
const STRINGS = /"(?:[^"\\\n]|\\.)*"/gm;
const SWITCHES = /\[\[(audio_as_voice|as_document)\]\]/g;

/** Lines stay lines: quotes on both sides of a code block do not make a string. */
const blank = (text: string, form: RegExp): string => text.replace(form, (found) => found.replace(/[^\n]/g, " "));

/** What of a text names files: nothing inside code, quotes and JSON strings does. */
export function markersIn(text: string): Marked {
  const tagged = blank(text, CODE);
  const shown = blank(tagged, STRINGS);
  const switches = new Set([...shown.matchAll(SWITCHES)].map(([, name]) => name));
  const taken: Marker[] = [];
  for (const [form, bare, where] of [
    [TAG, false, tagged],
    [MEDIA, false, shown],
    [ADDRESS, false, shown],
    [IMAGE, false, shown],
    [BARE, true, shown],
  ] as const) {
    for (const found of where.matchAll(form)) {
      const start = found.index;
      const end = start + found[0].length;
      const path = (found[1] ?? found[2] ?? found[3] ?? "").trim();
      const remote = /^https?:/i.test(path);
      if (form === TAG && !remote && !/^~?\//.test(path)) continue;
      if (!taken.some((one) => start < one.end && one.start < end)) taken.push({ path, bare, remote, start, end });
    }
  }
  return {
    markers: taken.sort((a, b) => a.start - b.start),
    voice: switches.has("audio_as_voice"),
    document: switches.has("as_document"),
  };
}

/** A text without these markers and without switches; lines that held nothing else go with them. */
export function withoutMarkers(text: string, markers: readonly Pick<Marker, "start" | "end">[]): string {
  let rest = "";
  let at = 0;
  for (const { start, end } of [...markers, ...switchesIn(text)].sort((a, b) => a.start - b.start)) {
    if (start < at) continue;
    rest += `${text.slice(at, start)}${GAP}`;
    at = end;
  }
  if (at === 0) return text;
  return `${rest}${text.slice(at)}`
    .replace(new RegExp(`^[ \\t]*(?:[-*][ \\t]*)?${GAP}(?:[ \\t]*${GAP})*[ \\t]*(?:\\n|$)`, "gm"), "")
    .replace(new RegExp(`\\[[ \\t]*${GAP}[ \\t]*\\]\\(([^)\\s]+)\\)`, "g"), "$1")
    .replace(new RegExp(`[ \\t]?${GAP}`, "g"), "")
    .trim();
}

/** Stands where a marker was; no text holds it. */
const GAP = "\uE000";

function switchesIn(text: string): readonly Pick<Marker, "start" | "end">[] {
  const shown = blank(blank(text, CODE), STRINGS);
  return [...shown.matchAll(SWITCHES)].map((found) => ({ start: found.index, end: found.index + found[0].length }));
}
