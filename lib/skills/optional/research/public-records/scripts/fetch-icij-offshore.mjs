import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { note } from "./lib/command.mjs";
import { createCsvParser, toRow } from "./lib/csv.mjs";
import { upstreamError } from "./lib/errors.mjs";
import { runFetcher } from "./lib/fetcher.mjs";
import { requireOneOf } from "./lib/values.mjs";
import { listZip, readZipEntry } from "./lib/zip.mjs";

const URL_OF_ARCHIVE = "https://offshoreleaks-data.icij.org/offshoreleaks/csv/full-oldb.LATEST.zip";
const DAY_MS = 24 * 60 * 60 * 1000;
/** Of one node, in the column `connections`. */
const SHOWN_CONNECTIONS = 50;

/** @typedef {import("./lib/csv.mjs").Row} Row */

/** @type {import("./lib/fetcher.mjs").Fetcher} */
const fetcher = {
  name: "fetch-icij-offshore",
  about:
    "Search the Offshore Leaks database of the International Consortium of Investigative Journalists. The whole database (about 70 MB) is loaded once and kept.",
  what: "node",
  options: {
    entity: { takes: "NAME", about: "Text in the name of a company or of an intermediary." },
    officer: { takes: "NAME", about: "Text in the name of an officer, shareholder or beneficiary." },
    jurisdiction: { takes: "CODE", about: "Jurisdiction of companies, such as BVI; country code of other nodes." },
    limit: { takes: "N", kind: "integer", least: 1, most: 100_000, preset: 500, about: "Nodes to write." },
    "cache-days": {
      takes: "N",
      kind: "integer",
      least: 0,
      most: 3650,
      preset: 30,
      about: "Days before the database is loaded again.",
    },
    "force-refresh": { about: "Load the database again now." },
  },
  columns: [
    "node_id",
    "name",
    "node_type",
    "country_codes",
    "countries",
    "jurisdiction",
    "incorporation_date",
    "inactivation_date",
    "source",
    "entity_url",
    "connections",
  ],
  check: (options) => requireOneOf(options, "entity", "officer", "jurisdiction"),
  fetchRows,
};

/** @param {import("./lib/fetcher.mjs").Job} job */
async function* fetchRows({ options, client }) {
  const archive = join(cacheFolder(), "icij-full-oldb.zip");
  if (options["force-refresh"] || !(await isFresh(archive, options["cache-days"]))) {
    note(`loading the database into ${archive}`);
    await client.download(URL_OF_ARCHIVE, archive);
  }
  const nodes = await findNodes(archive, options);
  const connections = await findConnections(archive, new Set(nodes.map(({ node_id }) => node_id)));
  for (const node of nodes) yield { ...node, connections: (connections.get(node.node_id) ?? []).join("; ") };
}

function cacheFolder() {
  const own = process.env["RECORDS_CACHE"]?.trim();
  return own || join(process.env["XDG_CACHE_HOME"]?.trim() || join(homedir(), ".cache"), "agent-public-records");
}

/**
 * @param {string} path
 * @param {number} days
 */
async function isFresh(path, days) {
  try {
    return Date.now() - (await stat(path)).mtimeMs < days * DAY_MS;
  } catch {
    return false; // It was not loaded before.
  }
}

/**
 * @param {string} archive
 * @param {import("./lib/command.mjs").Values} options
 */
async function findNodes(archive, options) {
  const { entity, officer, jurisdiction, limit } = options;
  const inJurisdiction = isIn(jurisdiction);
  const onlyPlace = entity === undefined && officer === undefined;
  const searches = [
    { file: "nodes-entities.csv", type: "entity", name: entity, isWanted: onlyPlace || entity !== undefined },
    { file: "nodes-intermediaries.csv", type: "intermediary", name: entity, isWanted: entity !== undefined },
    { file: "nodes-officers.csv", type: "officer", name: officer, isWanted: officer !== undefined },
  ];
  const nodes = [];
  for (const { file, type, name } of searches.filter(({ isWanted }) => isWanted)) {
    const wanted = name?.toLowerCase();
    for await (const row of readRows(archive, file)) {
      if (wanted !== undefined && !row["name"]?.toLowerCase().includes(wanted)) continue;
      if (!inJurisdiction(row)) continue;
      if (nodes.length === limit) {
        note(`stopped after ${limit} nodes; more match (--limit)`);
        return nodes;
      }
      nodes.push(toNode(row, type));
    }
  }
  return nodes;
}

/**
 * @param {string | undefined} jurisdiction
 * @returns {(row: Row) => boolean}
 */
function isIn(jurisdiction) {
  const wanted = jurisdiction?.toUpperCase();
  return (row) => {
    if (wanted === undefined) return true;
    const { jurisdiction: code, country_codes: countries = "" } = row;
    return code === undefined ? countries.toUpperCase().split(";").includes(wanted) : code.toUpperCase() === wanted;
  };
}

/**
 * @param {Row} row
 * @param {string} type
 */
function toNode(row, type) {
  const id = row["node_id"] ?? "";
  return {
    node_id: id,
    name: row["name"],
    node_type: type,
    country_codes: row["country_codes"],
    countries: row["countries"],
    jurisdiction: row["jurisdiction"],
    incorporation_date: row["incorporation_date"],
    inactivation_date: row["inactivation_date"],
    source: row["sourceID"],
    entity_url: `https://offshoreleaks.icij.org/nodes/${encodeURIComponent(id)}`,
  };
}

/**
 * Relations of the nodes, as `<kind> <other node>`, when the archive has them.
 *
 * @param {string} archive
 * @param {Set<string>} ids
 */
async function findConnections(archive, ids) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  /** @type {(id: string, text: string) => void} */
  const add = (id, text) => {
    const texts = found.get(id) ?? [];
    if (texts.length < SHOWN_CONNECTIONS) texts.push(text);
    found.set(id, texts);
  };
  if (ids.size === 0 || (await findEntry(archive, "relationships.csv")) === undefined) return found;
  for await (const { node_id_start: from = "", node_id_end: to = "", rel_type: kind } of readRows(
    archive,
    "relationships.csv",
  )) {
    if (ids.has(from)) add(from, `${kind} ${to}`);
    if (ids.has(to)) add(to, `${kind} ${from}`);
  }
  return found;
}

/**
 * The one file of this name, in whatever folder of the archive.
 *
 * @param {string} archive
 * @param {string} name
 */
async function findEntry(archive, name) {
  const entries = (await listZip(archive)).filter((entry) => basename(entry.name) === name);
  if (entries.length > 1) throw upstreamError(`the archive of the database has ${entries.length} files ${name}`);
  return entries[0];
}

/**
 * @param {string} archive
 * @param {string} name
 * @returns {AsyncGenerator<Row>}
 */
async function* readRows(archive, name) {
  const entry = await findEntry(archive, name);
  if (entry === undefined) throw upstreamError(`the archive of the database has no file ${name}`);
  const parser = createCsvParser();
  const decoder = new TextDecoder();
  /** @type {string[] | undefined} */
  let header;
  /** @param {string[][]} rows */
  const named = function* (rows) {
    for (const cells of rows) {
      if (header === undefined) header = checkHeader(cells, name);
      else yield toRow(header, cells);
    }
  };
  for await (const piece of readZipEntry(archive, entry))
    yield* named(parser.push(decoder.decode(piece, { stream: true })));
  yield* named(parser.end());
}

/**
 * @param {string[]} header
 * @param {string} name
 */
function checkHeader(header, name) {
  const needed = name === "relationships.csv" ? ["node_id_start", "node_id_end", "rel_type"] : ["node_id", "name"];
  const missing = needed.filter((column) => !header.includes(column));
  if (missing.length > 0) throw upstreamError(`${name} of the database has no column ${missing.join(", ")}`);
  return header;
}

await runFetcher(fetcher);
