import { basename } from "node:path";
import { runCommand } from "./lib/command.mjs";
import { readTable } from "./lib/csv.mjs";
import { EXIT, HelperError } from "./lib/errors.mjs";
import { readText, replaceFile } from "./lib/files.mjs";
import { listAt, textAt } from "./lib/values.mjs";

const SEVERITIES = ["HIGH", "MEDIUM", "LOW"];
const CONFIDENCES = ["high", "medium", "low"];
/** Below it the timing of a pair is of high severity. */
const STRONG_P = 0.01;

/** @type {import("./lib/command.mjs").Command} */
const command = {
  name: "build-findings",
  about:
    "Make a list of findings, each with the rows that support it, of the outputs of entity-resolution and timing-analysis. A finding is a lead to verify, not a proof.",
  notes: ["Exit codes: 0 written, 1 file, column or result missing, 2 usage."],
  options: {
    "cross-links": { takes: "F", about: "Output of entity-resolution.", required: true },
    timing: { takes: "F", about: "Output of timing-analysis." },
    out: { takes: "F", about: "JSON file to write.", preset: "findings.json" },
    "bundled-threshold": {
      takes: "N",
      kind: "integer",
      least: 2,
      preset: 3,
      about: "Distinct left names of one right name that make a finding.",
    },
  },
  run: buildFindings,
};

/**
 * A row that supports a finding.
 *
 * @typedef {object} Evidence
 * @property {string} source file
 * @property {number} row 0-based
 * @property {Record<string, unknown>} fields
 */

/**
 * @typedef {object} Finding
 * @property {string} title
 * @property {string} severity
 * @property {string} confidence
 * @property {string} summary
 * @property {Evidence[]} evidence
 * @property {string[]} sources
 */

/** @param {import("./lib/command.mjs").Values} options */
async function buildFindings(options) {
  const links = await readLinks(options["cross-links"]);
  const findings = [
    ...matchFindings(links),
    ...bundledFindings(links, options["bundled-threshold"]),
    ...(options["timing"] === undefined ? [] : await timingFindings(options["timing"])),
  ];
  findings.sort(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      CONFIDENCES.indexOf(a.confidence) - CONFIDENCES.indexOf(b.confidence),
  );
  // Numbered in this order, so that the order of the ids is that of the weight.
  const numbered = findings.map((finding, at) => ({ id: `F${String(at + 1).padStart(4, "0")}`, ...finding }));
  await replaceFile(options["out"], `${JSON.stringify({ findings: numbered }, null, 2)}\n`);
  process.stdout.write(`Wrote ${numbered.length} findings to ${options["out"]}\n`);
}

/**
 * @param {string} path
 * @returns {Promise<Evidence[]>}
 */
async function readLinks(path) {
  const rows = await readTable(path, ["match_type", "confidence", "left_name", "right_name"]);
  return rows.map((fields, row) => ({ source: basename(path), row, fields }));
}

/**
 * One finding for each pair of names, whatever the number of rows that pair them.
 *
 * @param {readonly Evidence[]} links
 * @returns {Finding[]}
 */
function matchFindings(links) {
  const pairs = groupBy(links, ({ fields }) => JSON.stringify([fields["left_name"], fields["right_name"]]));
  return pairs.map((evidence) => {
    const names = evidence[0]?.fields ?? {};
    const confidence =
      CONFIDENCES.find((level) => evidence.some(({ fields }) => fields["confidence"] === level)) ?? "low";
    const best = evidence.find(({ fields }) => fields["confidence"] === confidence)?.fields ?? names;
    return {
      title: `${names["left_name"]} matches ${names["right_name"]}`,
      severity: confidence === "high" ? "MEDIUM" : "LOW",
      confidence,
      summary: `${evidence.length} pairs of rows name both; the best match is ${best["match_type"]} (${confidence} confidence).`,
      evidence,
      sources: sourcesOf(evidence),
    };
  });
}

/**
 * @param {readonly Evidence[]} links
 * @param {number} threshold
 * @returns {Finding[]}
 */
function bundledFindings(links, threshold) {
  return groupBy(links, ({ fields }) => String(fields["right_name"])).flatMap((evidence) => {
    const left = [...new Set(evidence.map(({ fields }) => String(fields["left_name"])))];
    if (left.length < threshold) return [];
    const right = evidence[0]?.fields["right_name"];
    return [
      {
        title: `${left.length} names lead to ${right}`,
        severity: "HIGH",
        confidence: "medium",
        summary: `${left.join(", ")} all match ${right}.`,
        evidence,
        sources: sourcesOf(evidence),
      },
    ];
  });
}

/**
 * @param {string} path
 * @returns {Promise<Finding[]>}
 */
async function timingFindings(path) {
  const rows = listAt(parseTiming(path, await readText(path)), "results");
  return rows.flatMap((fields, row) => {
    if (fields?.significant !== true) return [];
    const isStrong = fields.p_value < STRONG_P;
    const evidence = [{ source: basename(path), row, fields }];
    return [
      {
        title: `Donations of ${textAt(fields, "donor")} to ${textAt(fields, "recipient")} lie close to contract awards`,
        severity: isStrong ? "HIGH" : "MEDIUM",
        confidence: isStrong ? "medium" : "low",
        summary:
          `${fields.n_donations} donations lie ${fields.observed_mean_days} days from the nearest award on average; ` +
          `chance explains ${fields.null_mean_days} days (p = ${fields.p_value}).`,
        evidence,
        sources: sourcesOf(evidence),
      },
    ];
  });
}

/**
 * @param {string} path
 * @param {string} text
 */
function parseTiming(path, text) {
  try {
    const timing = JSON.parse(text);
    if (Array.isArray(timing?.results)) return timing;
  } catch {
    /* ok to lose: where the text breaks does not help; it is not the output of timing-analysis. */
  }
  throw new HelperError(EXIT.failed, `${path} is not the output of timing-analysis`);
}

/**
 * Groups in the order of their first member.
 *
 * @param {readonly Evidence[]} links
 * @param {(link: Evidence) => string} key
 * @returns {Evidence[][]}
 */
function groupBy(links, key) {
  /** @type {Map<string, Evidence[]>} */
  const groups = new Map();
  for (const link of links) {
    const group = groups.get(key(link)) ?? [];
    group.push(link);
    groups.set(key(link), group);
  }
  return [...groups.values()];
}

/** @param {readonly Evidence[]} evidence */
const sourcesOf = (evidence) => [...new Set(evidence.map(({ source }) => source))];

await runCommand(command);
