import { note, runCommand } from "./lib/command.mjs";
import { readTable, renderCsv } from "./lib/csv.mjs";
import { replaceFile } from "./lib/files.mjs";
import { compareTexts } from "./lib/values.mjs";
import { tokensOf } from "./normalize.mjs";

/** Shorter tokens are too common to tell names apart. */
const LONG_TOKEN = 4;

const COLUMNS = [
  "match_type",
  "confidence",
  "left_name",
  "right_name",
  "left_normalized",
  "right_normalized",
  "left_row",
  "right_row",
  "overlap_ratio",
  "shared_tokens",
];

/** @type {import("./lib/command.mjs").Command} */
const command = {
  name: "entity-resolution",
  about:
    "Find the same persons and firms in two tables. Tiers: exact (high), equal names after normalization; fuzzy (medium), the same words in another order; token_overlap (low), enough long words in common. A pair of rows is written once, with its best tier.",
  notes: ["Exit codes: 0 written, 1 file or column missing, 2 usage.", `Columns: ${COLUMNS.join(", ")}`],
  options: {
    left: { takes: "F", about: "First table (CSV with a header).", required: true },
    "left-name-col": { takes: "C", about: "Its column with names.", required: true },
    right: { takes: "F", about: "Second table.", required: true },
    "right-name-col": { takes: "C", about: "Its column with names.", required: true },
    out: { takes: "F", about: "CSV file to write.", required: true },
    "overlap-threshold": {
      takes: "R",
      kind: "number",
      least: 0,
      most: 1,
      preset: 0.6,
      about: "Least share of common long words.",
    },
    "min-shared": { takes: "N", kind: "integer", least: 1, preset: 2, about: "Least number of common long words." },
    "skip-overlap": { about: "Leave out the tier token_overlap." },
  },
  run: resolveNames,
};

/**
 * A name of one table.
 *
 * @typedef {object} Name
 * @property {number} row
 * @property {string} name as it is written
 * @property {string} normalized
 * @property {string} sorted its words in alphabetical order, each once
 * @property {Set<string>} long
 */

/** @param {import("./lib/command.mjs").Values} options */
async function resolveNames(options) {
  const left = await readNames(options["left"], options["left-name-col"]);
  const right = await readNames(options["right"], options["right-name-col"]);
  const exact = matchBy(left, right, ({ normalized }) => normalized);
  const taken = new Set(exact.map(keyOf));
  const fuzzy = matchBy(left, right, ({ sorted }) => sorted).filter((pair) => !taken.has(keyOf(pair)));
  for (const pair of fuzzy) taken.add(keyOf(pair));
  const overlapping = options["skip-overlap"] ? [] : matchByOverlap(left, right, options);
  const overlap = overlapping.filter((pair) => !taken.has(keyOf(pair)));
  const rows = [
    ...exact.map((pair) => toRow(pair, "exact", "high")),
    ...fuzzy.map((pair) => toRow(pair, "fuzzy", "medium")),
    ...overlap.map((pair) => toRow(pair, "token_overlap", "low")),
  ];
  if (rows.length === 0) note(`entity-resolution: no match; ${options["out"]} has a header only`);
  await replaceFile(options["out"], renderCsv(COLUMNS, rows));
  const counts = `${exact.length} exact, ${fuzzy.length} fuzzy, ${overlap.length} token_overlap`;
  process.stdout.write(`Wrote ${rows.length} match rows to ${options["out"]} (${counts})\n`);
}

/**
 * Names whose normal form is empty match nothing and are left out.
 *
 * @param {string} path
 * @param {string} column
 * @returns {Promise<Name[]>}
 */
async function readNames(path, column) {
  const rows = await readTable(path, [column]);
  return rows.flatMap((cells, row) => {
    const name = cells[column] ?? "";
    const tokens = tokensOf(name);
    if (tokens.length === 0) return [];
    const sorted = [...new Set(tokens)].toSorted(compareTexts).join(" ");
    const long = new Set(tokens.filter(({ length }) => length >= LONG_TOKEN));
    return [{ row, name, normalized: tokens.join(" "), sorted, long }];
  });
}

/** @typedef {readonly [left: Name, right: Name]} Pair */

/** @param {Pair} pair */
const keyOf = ([left, right]) => `${left.row} ${right.row}`;

/**
 * Pairs whose key is equal, in the order of the rows.
 *
 * @param {readonly Name[]} left
 * @param {readonly Name[]} right
 * @param {(name: Name) => string} key
 * @returns {Pair[]}
 */
function matchBy(left, right, key) {
  const byKey = groupBy(right, (name) => [key(name)]);
  return left.flatMap((one) => (byKey.get(key(one)) ?? []).map((other) => /** @type {const} */ ([one, other])));
}

/**
 * Pairs with enough long words in common. Only names that share a word are compared.
 *
 * @param {readonly Name[]} left
 * @param {readonly Name[]} right
 * @param {import("./lib/command.mjs").Values} options
 * @returns {Pair[]}
 */
function matchByOverlap(left, right, options) {
  const byWord = groupBy(right, ({ long }) => [...long]);
  return left.flatMap((one) => {
    const others = new Set([...one.long].flatMap((word) => byWord.get(word) ?? []));
    return [...others]
      .filter((other) => isEnough(one, other, options))
      .toSorted((a, b) => a.row - b.row)
      .map((other) => /** @type {const} */ ([one, other]));
  });
}

/**
 * @param {Name} left
 * @param {Name} right
 * @param {import("./lib/command.mjs").Values} options
 */
function isEnough(left, right, { "overlap-threshold": threshold, "min-shared": least }) {
  const shared = sharedWords(left, right).length;
  return shared >= least && shared / (left.long.size + right.long.size - shared) >= threshold;
}

/**
 * @param {Name} left
 * @param {Name} right
 */
const sharedWords = (left, right) => [...left.long].filter((word) => right.long.has(word));

/**
 * @param {readonly Name[]} names
 * @param {(name: Name) => string[]} keys
 * @returns {Map<string, Name[]>}
 */
function groupBy(names, keys) {
  /** @type {Map<string, Name[]>} */
  const groups = new Map();
  for (const name of names)
    for (const key of keys(name)) {
      const group = groups.get(key) ?? [];
      group.push(name);
      groups.set(key, group);
    }
  return groups;
}

/**
 * @param {Pair} pair
 * @param {string} type
 * @param {string} confidence
 */
function toRow([left, right], type, confidence) {
  // Names of the upper tiers consist of the same words, short ones too.
  const isEqual = left.sorted === right.sorted;
  const shared = isEqual ? left.sorted.split(" ") : sharedWords(left, right).toSorted(compareTexts);
  const ratio = isEqual ? 1 : shared.length / (left.long.size + right.long.size - shared.length);
  return {
    match_type: type,
    confidence,
    left_name: left.name,
    right_name: right.name,
    left_normalized: left.normalized,
    right_normalized: right.normalized,
    left_row: left.row,
    right_row: right.row,
    overlap_ratio: ratio.toFixed(3),
    shared_tokens: shared.join(" "),
  };
}

await runCommand(command);
