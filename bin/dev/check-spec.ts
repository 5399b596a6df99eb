import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Check, Finding } from "./check-type.js";
import type { Source } from "./parse.js";

const FOLDER = "fixtures/spec";

/** How comments name the parts of the specification, by the number that their files begin with. */
const PARTS: Readonly<Record<string, string>> = {
  board: "10",
  core: "20",
  workspace: "30",
  gateway: "40",
  proxy: "50",
  dashboard: "60",
  extensions: "60",
  housekeeping: "70",
  landing: "80",
};

/** `(board part, 7.6)`, `core part, 2.1, 2.5 and C18`; a comment may break the line between the words. */
const CITATION =
  /\b([a-z]+) part,?[\s/*]+(?:sections?\s+)?(C?\d+(?:\.\d+)*)((?:(?:,| and|, and| to| or)\s+C?\d+(?:\.\d+)*)*)/g;
const NUMBER = /C?\d+(?:\.\d+)*/g;
/** A heading with a number, or the row of an acceptance check: `| C18 | ...`. */
const ANCHOR = /^(?:#+\s+(\d+(?:\.\d+)*[a-z]?)\.?\s|\|\s*(C\d+)\s*\|)/;

/** What the comments say about the specification: each `(board part, 7.6)` names a heading that its part has. */
export const checkSpec: Check = {
  name: "spec",
  run: async (sources) => {
    const anchors = await readAnchors(FOLDER);
    const results = sources.map((source) => checkSource(source, anchors));
    const count = results.reduce((sum, { cited }) => sum + cited, 0);
    return {
      findings: results.flatMap(({ findings }) => findings),
      notes: [`${count} citations of the specification`],
    };
  },
};

/** @returns the numbers of headings and acceptance checks, by the number of the part */
async function readAnchors(folder: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const files = (await readdir(folder)).filter((name) => /^\d\d-.*\.md$/.test(name));
  const parts = files.map(
    async (name) => [name.slice(0, 2), anchorsOf(await readFile(join(folder, name), "utf8"))] as const,
  );
  return new Map(await Promise.all(parts));
}

function anchorsOf(markdown: string): ReadonlySet<string> {
  const found = markdown.split("\n").map((line) => ANCHOR.exec(line));
  return new Set(found.flatMap((match) => match?.[1] ?? match?.[2] ?? []));
}

function checkSource(
  { path, text }: Source,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): { cited: number; findings: Finding[] } {
  const findings: Finding[] = [];
  let cited = 0;
  for (const match of text.matchAll(CITATION)) {
    const [whole, part = "", first = "", others = ""] = match;
    const known = anchors.get(PARTS[part] ?? "");
    const line = text.slice(0, match.index).split("\n").length;
    for (const number of [first, ...(others.match(NUMBER) ?? [])]) {
      cited += 1;
      if (known?.has(number)) continue;
      const message = `"${whole.replaceAll(/[\s/*]+/g, " ")}": ${known === undefined ? `no part is called ${part}` : `the ${part} part has no ${number}`}`;
      findings.push({ file: path, line, rule: "citation", message });
    }
  }
  return { cited, findings };
}
