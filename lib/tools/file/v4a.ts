/** One operation of a patch text. */
export type PatchOperation =
  | { readonly kind: "add"; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "move"; readonly path: string; readonly to: string }
  | {
      readonly kind: "update";
      readonly path: string;
      readonly to: string | undefined;
      readonly hunks: readonly Hunk[];
    };

export interface Hunk {
  /** Text behind `@@`: a line before the place. */
  readonly hint: string;
  readonly lines: readonly { readonly sign: " " | "-" | "+"; readonly text: string }[];
}

export interface ParsedPatch {
  readonly operations: readonly PatchOperation[];
  readonly errors: readonly string[];
}

const HEADER = /^\*\*\* (Update|Add|Delete|Move) File:\s*(.*)$/;

/** Read a patch text. Its begin and end marks are optional. */
export function parsePatch(text: string): ParsedPatch {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const operations: PatchOperation[] = [];
  const errors: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const header = HEADER.exec(line);
    at += 1;
    if (header === null) {
      if (line.trim() !== "" && !/^\*\*\* (Begin|End) Patch/.test(line))
        errors.push(`line ${at}: expected '*** Update File:', Add, Delete or Move, found: ${line.slice(0, 80)}`);
      continue;
    }
    let end = at;
    while (end < lines.length && !HEADER.test(lines[end] ?? "") && !/^\*\*\* (End|Begin) Patch/.test(lines[end] ?? ""))
      end += 1;
    const made = operation(header[1] ?? "", (header[2] ?? "").trim(), lines.slice(at, end));
    if (typeof made === "string") errors.push(`line ${at}: ${made}`);
    else operations.push(made);
    at = end;
  }
  if (operations.length === 0 && errors.length === 0) errors.push("the patch has no operations");
  return { operations, errors };
}

function operation(verb: string, path: string, body: readonly string[]): PatchOperation | string {
  const [from = "", to] = verb === "Move" ? path.split(/\s+->\s+/) : [path];
  const wrong = headerProblem(from) ?? (to === undefined ? undefined : headerProblem(to));
  if (wrong !== undefined) return wrong;
  if (verb === "Delete") return { kind: "delete", path: from };
  if (verb === "Move") return to === undefined ? "Move File needs 'a -> b'" : { kind: "move", path: from, to };
  if (verb === "Add") return add(from, body);
  return update(from, body);
}

function headerProblem(path: string): string | undefined {
  if (path === "") return "a header without a path";
  return path.split("/").includes("..") ? `'..' is not allowed in a header: ${path}` : undefined;
}

function add(path: string, body: readonly string[]): PatchOperation | string {
  const lines = trimEnd(body);
  const wrong = lines.find((line) => !line.startsWith("+"));
  if (wrong !== undefined) return `every line of Add File begins with '+': ${wrong.slice(0, 80)}`;
  return { kind: "add", path, text: lines.map((line) => `${line.slice(1)}\n`).join("") };
}

function trimEnd(body: readonly string[]): readonly string[] {
  let end = body.length;
  while (end > 0 && (body[end - 1] ?? "").trim() === "") end -= 1;
  return body.slice(0, end);
}

function update(path: string, body: readonly string[]): PatchOperation | string {
  const hunks: { hint: string; lines: { sign: " " | "-" | "+"; text: string }[] }[] = [];
  let to: string | undefined;
  for (const line of trimEnd(body)) {
    const moved = /^\*\*\* Move to:\s*(.+)$/.exec(line);
    if (moved !== null) to = (moved[1] ?? "").trim();
    else if (line.startsWith("*** End of File")) continue;
    else if (line.startsWith("@@"))
      hunks.push({
        hint: line
          .replace(/^@@\s?/, "")
          .replace(/\s*@@\s*$/, "")
          .trim(),
        lines: [],
      });
    else {
      if (hunks.length === 0) hunks.push({ hint: "", lines: [] });
      const sign = line[0] === "-" || line[0] === "+" ? line[0] : " ";
      if (line !== "" && line[0] !== " " && sign === " ")
        return `a line of a hunk begins with ' ', '-' or '+': ${line.slice(0, 80)}`;
      hunks.at(-1)?.lines.push({ sign, text: line.slice(1) });
    }
  }
  if (to !== undefined) {
    const wrong = headerProblem(to);
    if (wrong !== undefined) return wrong;
  }
  const real = hunks.filter((hunk) => hunk.lines.length > 0);
  return real.length === 0 && to === undefined
    ? `Update File without changes: ${path}`
    : { kind: "update", path, to, hunks: real };
}

/** Apply the hunks of one file to its text (line ends `\n`). A string in `error` says which hunk does not fit. */
export function applyHunks(text: string, hunks: readonly Hunk[]): { text: string } | { error: string } {
  const closed = text === "" || text.endsWith("\n");
  let lines = (closed ? text.slice(0, -1) : text).split("\n");
  if (text === "") lines = [];
  let cursor = 0;
  for (const [index, hunk] of hunks.entries()) {
    const place = locate(lines, hunk, cursor);
    if (typeof place === "string") return { error: `hunk ${index + 1}: ${place}` };
    const after = merge(lines.slice(place.at, place.at + place.count), hunk);
    lines = [...lines.slice(0, place.at), ...after, ...lines.slice(place.at + place.count)];
    cursor = place.at + after.length;
  }
  return { text: lines.length === 0 ? "" : `${lines.join("\n")}${closed ? "\n" : ""}` };
}

/** Kept lines stay as the file has them; the hunk may know them only up to blanks. */
function merge(matched: readonly string[], hunk: Hunk): readonly string[] {
  let at = 0;
  return hunk.lines.flatMap(({ sign, text }) => {
    if (sign === "+") return [text];
    const own = matched[at] ?? text;
    at += 1;
    return sign === " " ? [own] : [];
  });
}

const COMPARE: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

function locate(lines: readonly string[], hunk: Hunk, cursor: number): { at: number; count: number } | string {
  const old = hunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text);
  const hinted = hunk.hint === "" ? undefined : hintPlace(lines, hunk.hint, cursor);
  if (old.length === 0) return additionPlace(lines, hunk.hint, hinted);
  const from = hinted === undefined || hinted.length === 0 ? cursor : (hinted[0] ?? cursor);
  for (const normal of COMPARE) {
    const places = matchesFrom(lines, old.map(normal), normal, from);
    const only = places.length > 1 && hinted === undefined ? uniquePlace(places) : places[0];
    if (typeof only === "string") return only;
    if (only !== undefined) return { at: only, count: old.length };
    const before = matchesFrom(lines, old.map(normal), normal, 0);
    if (before.length === 1 && before[0] !== undefined && before[0] >= cursor)
      return { at: before[0], count: old.length };
  }
  return `cannot find these lines:\n${old.slice(0, 8).join("\n").slice(0, 800)}`;
}

const uniquePlace = (places: readonly number[]): string =>
  `these lines stand at ${places.length} places (lines ${places
    .slice(0, 10)
    .map((at) => at + 1)
    .join(", ")}); add lines around them or a @@ hint`;

function additionPlace(
  lines: readonly string[],
  hint: string,
  hinted: readonly number[] | undefined,
): { at: number; count: number } | string {
  if (hinted === undefined) return { at: lines.length, count: 0 };
  if (hinted.length === 1) return { at: (hinted[0] ?? 0) + 1, count: 0 };
  return hinted.length === 0 ? { at: lines.length, count: 0 } : `the hint '${hint}' stands at ${hinted.length} places`;
}

function hintPlace(lines: readonly string[], hint: string, cursor: number): readonly number[] {
  const whole = indexesOf(lines, (line) => line.trim() === hint);
  const after = whole.filter((at) => at >= cursor);
  if (after.length > 0) return after;
  return indexesOf(lines, (line) => line.includes(hint)).filter((at) => at >= cursor);
}

const indexesOf = (lines: readonly string[], is: (line: string) => boolean): readonly number[] =>
  lines.flatMap((line, index) => (is(line) ? [index] : []));

function matchesFrom(
  lines: readonly string[],
  old: readonly string[],
  normal: (line: string) => string,
  from: number,
): readonly number[] {
  const found: number[] = [];
  for (let at = from; at + old.length <= lines.length; at++) {
    if (old.every((line, index) => normal(lines[at + index] ?? "") === line)) found.push(at);
  }
  return found;
}
