import { parseCsv } from "./lib/csv.mjs";
import { upstreamError } from "./lib/errors.mjs";
import { runFetcher } from "./lib/fetcher.mjs";
import { joinTexts } from "./lib/values.mjs";

const HOST = "www.treasury.gov";
const EMPTY = "-0-";

/** @type {import("./lib/fetcher.mjs").Fetcher} */
const fetcher = {
  name: "fetch-ofac-sdn",
  about: "Load the list of Specially Designated Nationals: persons and firms under sanctions of the United States.",
  what: "entry",
  options: {
    program: { takes: "CODE", about: "Only entries of this sanctions program, such as SDGT." },
    type: { takes: "T", about: "Only entries of this type.", choices: ["individual", "entity", "vessel", "aircraft"] },
  },
  columns: [
    "entity_id",
    "name",
    "entity_type",
    "program_list",
    "title",
    "nationalities",
    "aka_list",
    "addresses",
    "dob",
    "pob",
    "remarks",
    "last_updated",
  ],
  fetchRows,
};

/** @param {import("./lib/fetcher.mjs").Job} job */
async function* fetchRows({ options, client }) {
  const list = await loadTable(client, "sdn", 12);
  const addresses = groupById((await loadTable(client, "add", 6)).rows, ([, , street, city, country]) =>
    joinTexts([street, city, country].map(clean), ", "),
  );
  const aliases = groupById((await loadTable(client, "alt", 5)).rows, ([, , , name]) => clean(name));
  const program = options["program"]?.toUpperCase();
  for (const row of list.rows) {
    const entry = toEntry(row, { addresses, aliases, lastUpdated: list.lastUpdated });
    const programs = entry.program_list.toUpperCase().split("; ");
    const isWanted = program === undefined || programs.includes(program);
    if (isWanted && (options["type"] === undefined || options["type"] === entry.entity_type)) yield entry;
  }
}

/**
 * The files are in Latin-1, without a header, and end with a control sign of old systems.
 *
 * @param {import("./lib/client.mjs").Client} client
 * @param {string} name
 * @param {number} columns
 */
async function loadTable(client, name, columns) {
  const { headers, body } = await client.get(`https://${HOST}/ofac/downloads/${name}.csv`);
  const rows = parseCsv(body.toString("latin1").replaceAll("\u001A", "")).filter(([id = ""]) => id.trim() !== "");
  const wrong = rows.find((row) => row.length < columns || !/^\s*\d+\s*$/.test(row[0] ?? ""));
  if (rows.length === 0 || wrong !== undefined)
    throw upstreamError(`${HOST}: ${name}.csv is not the expected table of ${columns} columns`);
  return { rows, lastUpdated: toDay(headers.get("last-modified")) };
}

/** @param {string | null} text */
function toDay(text) {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? "" : new Date(time).toISOString().slice(0, 10);
}

/** @param {string | undefined} cell */
const clean = (cell = "") => (cell.trim() === EMPTY ? "" : cell.trim());

/**
 * @param {string[][]} rows
 * @param {(row: string[]) => string} toText
 * @returns {Map<string, string[]>}
 */
function groupById(rows, toText) {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const row of rows) {
    const id = clean(row[0]);
    const group = groups.get(id) ?? [];
    group.push(toText(row));
    groups.set(id, group);
  }
  return groups;
}

/**
 * @param {string[]} row
 * @param {{ addresses: Map<string, string[]>, aliases: Map<string, string[]>, lastUpdated: string }} more
 */
function toEntry(row, { addresses, aliases, lastUpdated }) {
  const id = clean(row[0]);
  const remarks = clean(row[11]);
  return {
    entity_id: id,
    name: clean(row[1]),
    entity_type: clean(row[2]).toLowerCase() || "entity",
    // Several programs are written as `SDGT] [IRGC`.
    program_list: joinTexts(
      clean(row[3])
        .split(/\]\s*\[/)
        .map((code) => code.replace(/[[\]]/g, "").trim()),
    ),
    title: clean(row[4]),
    nationalities: joinTexts(remarksOf(remarks, /^(?:nationality|citizen) (.+)$/i)),
    aka_list: joinTexts(aliases.get(id) ?? []),
    addresses: joinTexts(addresses.get(id) ?? [], " | "),
    dob: joinTexts(remarksOf(remarks, /^(?:alt\. )?DOB (.+)$/i)),
    pob: joinTexts(remarksOf(remarks, /^(?:alt\. )?POB (.+)$/i)),
    remarks,
    last_updated: lastUpdated,
  };
}

/**
 * Facts inside the remarks, which are a list: `DOB 12 Dec 1961; POB Tripoli, Libya; nationality Libya.`
 *
 * @param {string} remarks
 * @param {RegExp} pattern
 */
function remarksOf(remarks, pattern) {
  return remarks.split(";").flatMap((part) => pattern.exec(part.trim().replace(/\.$/, ""))?.[1]?.trim() ?? []);
}

await runFetcher(fetcher);
