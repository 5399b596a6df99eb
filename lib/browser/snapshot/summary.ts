import type { Difference } from "./difference.js";
import { fitSections, type Section } from "./fit.js";
import { candidateRows, findRows, nearestRows, type Wanted } from "./rank.js";
import { type Box, ellipsize, hasContent, type Row, renderRow } from "./row.js";

/** What a call tells of a page. */
export interface Told {
  readonly rows: readonly Row[];
  /** Against what the model has last seen; absent: it has not seen this page. */
  readonly difference?: Difference;
  readonly find?: Wanted;
  /** Place of the last action. */
  readonly near?: Box;
  /** The page is shown, not only what has changed of it. */
  readonly whole: boolean;
  /** Bytes of JSON. */
  readonly max: number;
}

/** Characters of a name or text in a short answer. */
const NAME_CHARS = 90;
const NEAR_ROWS = 12;
const TOP_ROWS = 30;
const FOUND_ROWS = 40;
const HEADINGS = 6;

/** What is shown of a page within the room that there is: what was looked for, what has changed, what is near. */
export function summarize(told: Told): string {
  const { rows, difference, find, max } = told;
  const sections: Section[] = [];
  const seen = new Set<Row>();
  if (find !== undefined) sections.push(...foundSections(rows, find, seen));
  const fresh = told.whole || difference === undefined || difference.replaced;
  if (difference !== undefined && !difference.replaced && !(fresh && isNothing(difference)))
    sections.push(changeSection(difference, seen));
  // A search has found what it looked for, and the page is in the file.
  if (find === undefined || seen.size === 0) sections.push(...placeSections(told, fresh, seen));
  return fitSections(sections, max);
}

function foundSections(rows: readonly Row[], find: Wanted, seen: Set<Row>): readonly Section[] {
  const found = findRows(rows, find);
  if (found.length === 0) return [{ heading: "matches", lines: ["none"], share: 0.1 }];
  for (const row of found) seen.add(row);
  const lines = found.slice(0, FOUND_ROWS).map((row) => renderRow(row, NAME_CHARS * 2));
  return [{ heading: `matches, ${found.length}`, lines, share: 0.8 }];
}

const isNothing = ({ added, removed, changed }: Difference): boolean =>
  added.length + removed.length + changed.length === 0;

function changeSection({ added, removed, changed }: Difference, seen: Set<Row>): Section {
  for (const row of [...added, ...changed.map(({ after }) => after)]) seen.add(row);
  const lines = [
    ...changed.map(
      ({ before, after }) => `~ ${renderRow(after, NAME_CHARS, after.interactive)}${wasText(before, after)}`,
    ),
    ...ordered(added).map((row) => `+ ${renderRow(row, NAME_CHARS, row.interactive)}`),
    ...removed.map((row) => `- ${renderRow(row, NAME_CHARS / 2, row.interactive)}`),
  ];
  return { heading: "changed", lines: lines.length === 0 ? ["nothing"] : lines, share: 0.75 };
}

/** What can be acted upon comes first. */
const ordered = (rows: readonly Row[]): readonly Row[] => [
  ...rows.filter(({ interactive }) => interactive),
  ...rows.filter(({ interactive }) => !interactive),
];

function wasText(before: Row, after: Row): string {
  const part = before.name !== after.name ? before.name : before.text;
  return part === "" || part === after.name || part === after.text ? "" : ` (was ${ellipsize(part, NAME_CHARS / 3)})`;
}

function placeSections({ rows, near }: Told, fresh: boolean, seen: ReadonlySet<Row>): readonly Section[] {
  const nearest = nearestRows(rows, fresh ? undefined : near)
    .slice(0, fresh ? TOP_ROWS : NEAR_ROWS)
    .filter((row) => !seen.has(row));
  const place = new Map(rows.map((row, index) => [row, index]));
  const shown = nearest.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0));
  const heading = fresh || near === undefined ? "elements" : "near the last action";
  return [
    ...(fresh ? [headingSection(rows)] : []),
    { heading, lines: shown.map((row) => renderRow(row, NAME_CHARS)), share: 1 },
  ];
}

/** What the page is about: its headings, else its first words. */
function headingSection(rows: readonly Row[]): Section {
  const headings = rows.filter((row) => row.role === "heading" && row.name !== "");
  const about = headings.length > 0 ? headings : rows.filter((row) => !row.interactive && hasContent(row));
  const lines = about.slice(0, HEADINGS).map((row) => renderRow(row, NAME_CHARS, false));
  return { heading: "content", lines, share: 0.3 };
}

/** `54 elements: 12 links, 3 buttons, 2 fields`. */
export function countKinds(rows: readonly Row[]): string {
  const count = (roles: readonly string[]) => rows.filter(({ role }) => roles.includes(role)).length;
  const kinds = [
    [count(["link"]), "links"],
    [count(["button"]), "buttons"],
    [count(["textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton", "slider", "switch"]), "fields"],
  ] as const;
  return kinds
    .filter(([number]) => number > 0)
    .map(([number, kind]) => `${number} ${kind}`)
    .join(", ");
}

/** Fresh elements in the place of one that is gone, each on a line. */
export const renderCandidates = (
  rows: readonly Row[],
  known: { readonly role: string; readonly name: string },
): readonly string[] => candidateRows(rows, known).map((row) => renderRow(row, NAME_CHARS));
