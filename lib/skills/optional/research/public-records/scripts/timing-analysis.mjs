import { randomInt } from "node:crypto";
import { note, runCommand } from "./lib/command.mjs";
import { readTable } from "./lib/csv.mjs";
import { parseDay, renderDay } from "./lib/dates.mjs";
import { replaceFile } from "./lib/files.mjs";
import { createRandom } from "./lib/random.mjs";
import { compareTexts } from "./lib/values.mjs";
import { normalizeName } from "./normalize.mjs";

/** @type {import("./lib/command.mjs").Command} */
const command = {
  name: "timing-analysis",
  about:
    "Test whether donations lie closer to contract awards than chance explains. For each donor and recipient: the mean number of days from a donation to the nearest award of the donor's firm, compared with award dates drawn evenly from the observed window.",
  notes: [
    "A donor's firm is a vendor of the same normalized name, or one that --cross-links pairs with the donor.",
    "Dates: Y-m-d, m/d/Y, Y/m/d, m-d-Y, Ymd. p = (k+1)/(n+1); the smallest p of n permutations is 1/(n+1).",
    "Exit codes: 0 written, 1 file or column missing, 2 usage.",
  ],
  options: {
    donations: { takes: "F", about: "Table of donations (CSV with a header).", required: true },
    "donation-date-col": { takes: "C", about: "Its column with dates.", required: true },
    "donation-amount-col": { takes: "C", about: "Its column with amounts.", required: true },
    "donation-donor-col": { takes: "C", about: "Its column with donors.", required: true },
    "donation-recipient-col": { takes: "C", about: "Its column with recipients.", required: true },
    contracts: { takes: "F", about: "Table of contract awards.", required: true },
    "contract-date-col": { takes: "C", about: "Its column with award dates.", required: true },
    "contract-vendor-col": { takes: "C", about: "Its column with vendors.", required: true },
    "cross-links": { takes: "F", about: "Output of entity-resolution for donors and vendors." },
    permutations: {
      takes: "N",
      kind: "integer",
      least: 1,
      most: 1_000_000,
      preset: 1000,
      about: "Draws for each pair.",
    },
    "min-donations": { takes: "N", kind: "integer", least: 1, preset: 3, about: "Donations that a pair needs." },
    "p-threshold": {
      takes: "P",
      kind: "number",
      least: 0,
      most: 1,
      preset: 0.05,
      about: "A pair below it is significant.",
    },
    seed: { takes: "N", kind: "integer", about: "Start of the draws; without it one is chosen and written down." },
    out: { takes: "F", about: "JSON file to write.", preset: "timing.json" },
  },
  run: analyseTiming,
};

/**
 * Donations of one donor to one recipient.
 *
 * @typedef {object} Giving
 * @property {string} donor
 * @property {string} recipient
 * @property {number[]} days
 * @property {number} total
 */

/** @param {import("./lib/command.mjs").Values} options */
async function analyseTiming(options) {
  const givings = await readGivings(options);
  const awards = await readAwards(options);
  const links = options["cross-links"] === undefined ? new Map() : await readLinks(options["cross-links"]);
  const window = windowOf([...givings.flatMap(({ days }) => days), ...[...awards.values()].flat()]);
  const seed = options["seed"] ?? randomInt(2 ** 31);
  /** @type {Result[]} */
  const results = [];
  for (const giving of givings) {
    const awardDays = awardDaysFor(giving.donor, awards, links);
    if (window === undefined || awardDays.length === 0 || giving.days.length < options["min-donations"]) continue;
    const random = createRandom(seed, JSON.stringify([giving.donor, giving.recipient]));
    results.push(testGiving(giving, awardDays, { window, random, options }));
  }
  results.sort(byPValue);
  const significant = results.filter((result) => result.significant).length;
  const metadata = {
    n_permutations: options["permutations"],
    min_donations: options["min-donations"],
    p_threshold: options["p-threshold"],
    seed,
    n_pairs_tested: results.length,
    n_pairs_skipped: givings.length - results.length,
    n_significant: significant,
    observation_window: window === undefined ? null : { start: renderDay(window.first), end: renderDay(window.last) },
  };
  await replaceFile(options["out"], `${JSON.stringify({ metadata, results }, null, 2)}\n`);
  process.stdout.write(`Wrote ${results.length} result rows to ${options["out"]} (${significant} significant)\n`);
}

/**
 * @param {import("./lib/command.mjs").Values} options
 * @returns {Promise<Giving[]>} in the order of the table
 */
async function readGivings(options) {
  const { "donation-date-col": date, "donation-amount-col": amount } = options;
  const { "donation-donor-col": donor, "donation-recipient-col": recipient } = options;
  const rows = await readTable(options["donations"], [date, amount, donor, recipient]);
  /** @type {Map<string, Giving>} */
  const givings = new Map();
  let skipped = 0;
  for (const row of rows) {
    const day = parseDay(row[date] ?? "");
    const names = { donor: (row[donor] ?? "").trim(), recipient: (row[recipient] ?? "").trim() };
    if (day === undefined || names.donor === "") {
      skipped += 1;
      continue;
    }
    const key = JSON.stringify([names.donor, names.recipient]);
    const giving = givings.get(key) ?? { donor: names.donor, recipient: names.recipient, days: [], total: 0 };
    giving.days.push(day);
    giving.total += parseAmount(row[amount] ?? "");
    givings.set(key, giving);
  }
  if (skipped > 0) note(`timing-analysis: ${skipped} donations without a donor or a valid date left out`);
  return [...givings.values()];
}

/**
 * Amounts as people write them: `$1,500.00`, and `(200)` for a refund.
 *
 * @param {string} text
 */
function parseAmount(text) {
  const plain = text.replace(/[$,\s]/g, "");
  const number = Number(plain.replace(/^\((.*)\)$/, "-$1"));
  return Number.isFinite(number) ? number : 0;
}

/**
 * Award dates by the normalized name of the vendor.
 *
 * @param {import("./lib/command.mjs").Values} options
 */
async function readAwards({ contracts, "contract-date-col": date, "contract-vendor-col": vendor }) {
  /** @type {Map<string, number[]>} */
  const awards = new Map();
  let skipped = 0;
  for (const row of await readTable(contracts, [date, vendor])) {
    const day = parseDay(row[date] ?? "");
    const name = normalizeName(row[vendor] ?? "");
    if (day === undefined || name === "") {
      skipped += 1;
      continue;
    }
    const days = awards.get(name) ?? [];
    days.push(day);
    awards.set(name, days);
  }
  if (skipped > 0) note(`timing-analysis: ${skipped} awards without a vendor or a valid date left out`);
  return awards;
}

/**
 * Pairs of normalized names, in both directions: either table may have been the left one.
 *
 * @param {string} path
 * @returns {Promise<Map<string, Set<string>>>}
 */
async function readLinks(path) {
  /** @type {Map<string, Set<string>>} */
  const links = new Map();
  for (const row of await readTable(path, ["left_normalized", "right_normalized"])) {
    const left = row["left_normalized"] ?? "";
    const right = row["right_normalized"] ?? "";
    links.set(left, (links.get(left) ?? new Set()).add(right));
    links.set(right, (links.get(right) ?? new Set()).add(left));
  }
  return links;
}

/**
 * @param {string} donor
 * @param {Map<string, number[]>} awards
 * @param {Map<string, Set<string>>} links
 */
function awardDaysFor(donor, awards, links) {
  const name = normalizeName(donor);
  if (name === "") return [];
  const vendors = new Set([name, ...(links.get(name) ?? [])]);
  return [...vendors].flatMap((vendor) => awards.get(vendor) ?? []);
}

/**
 * @typedef {object} Window
 * @property {number} first
 * @property {number} last
 */

/**
 * @param {readonly number[]} days
 * @returns {Window | undefined}
 */
function windowOf(days) {
  const [start] = days;
  if (start === undefined) return undefined;
  return days.reduce(({ first, last }, day) => ({ first: Math.min(first, day), last: Math.max(last, day) }), {
    first: start,
    last: start,
  });
}

/** @typedef {ReturnType<typeof testGiving>} Result */

/**
 * @param {Giving} giving
 * @param {readonly number[]} awardDays
 * @param {{ window: Window, random: () => number, options: import("./lib/command.mjs").Values }} setting
 */
function testGiving({ donor, recipient, days, total }, awardDays, { window, random, options }) {
  const count = options["permutations"];
  const span = window.last - window.first + 1;
  const observed = meanDistance(days, awardDays);
  const drawn = Array.from({ length: count }, () =>
    meanDistance(
      days,
      awardDays.map(() => window.first + Math.floor(random() * span)),
    ),
  );
  const mean = drawn.reduce((sum, value) => sum + value, 0) / count;
  const deviation = Math.sqrt(drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count);
  const pValue = (drawn.filter((value) => value <= observed).length + 1) / (count + 1);
  return {
    donor,
    recipient,
    n_donations: days.length,
    n_award_dates: awardDays.length,
    observed_mean_days: round(observed),
    null_mean_days: round(mean),
    p_value: round(pValue),
    effect_size_sd: deviation === 0 ? 0 : round((mean - observed) / deviation),
    significant: pValue < options["p-threshold"],
    total_donation_amount: round(total, 2),
  };
}

/**
 * Mean number of days from a day to the nearest award.
 *
 * @param {readonly number[]} days
 * @param {readonly number[]} awardDays at least one
 */
function meanDistance(days, awardDays) {
  const sorted = awardDays.toSorted((a, b) => a - b);
  return days.reduce((sum, day) => sum + nearest(day, sorted), 0) / days.length;
}

/**
 * @param {number} day
 * @param {readonly number[]} sorted
 */
function nearest(day, sorted) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < day) low = middle + 1;
    else high = middle;
  }
  const before = sorted[low - 1] ?? Number.NEGATIVE_INFINITY;
  const behind = sorted[low] ?? Number.POSITIVE_INFINITY;
  return Math.min(day - before, behind - day);
}

/**
 * @param {number} value
 * @param {number} [digits]
 */
const round = (value, digits = 6) => Number(value.toFixed(digits));

/**
 * By p, then by name, so that the order does not depend on the order of the tables.
 *
 * @param {Result} a
 * @param {Result} b
 */
function byPValue(a, b) {
  return a.p_value - b.p_value || compareTexts(a.donor, b.donor) || compareTexts(a.recipient, b.recipient);
}

await runCommand(command);
