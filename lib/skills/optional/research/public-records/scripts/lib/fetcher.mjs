import { rm } from "node:fs/promises";
import { Client } from "./client.mjs";
import { note, runCommand } from "./command.mjs";
import { renderCsv } from "./csv.mjs";
import { EXIT, HelperError, usageError } from "./errors.mjs";
import { replaceFile } from "./files.mjs";

const DEFAULT_USER_AGENT = "agent-public-records/0.1.0 (set RECORDS_USER_AGENT to name yourself)";

/**
 * What `fetchRows` works with.
 *
 * @typedef {object} Job
 * @property {import("./command.mjs").Values} options
 * @property {Client} client
 */

/**
 * A program that loads records of one public source into a CSV file.
 *
 * @typedef {object} Fetcher
 * @property {string} name
 * @property {string} about
 * @property {string} what the word for a row: `Wrote 3 <what> rows to F`
 * @property {Readonly<Record<string, import("./command.mjs").Option>>} options
 * @property {readonly string[]} columns
 * @property {string} [userAgentVariable] a variable that must name the user, by the rules of the service
 * @property {string} [quotaAdvice] what helps when the quota of the service is used up
 * @property {(options: import("./command.mjs").Values) => void} [check] options that are wrong together
 * @property {(job: Job) => AsyncGenerator<Record<string, unknown>>} fetchRows
 */

/**
 * Run a fetcher as a program: options, output file and exit codes are the same for all of them.
 *
 * @param {Fetcher} fetcher
 */
export async function runFetcher(fetcher) {
  await runCommand({
    name: fetcher.name,
    about: fetcher.about,
    notes: [
      `Columns: ${fetcher.columns.join(", ")}`,
      "Exit codes: 0 written (also without a match), 1 cannot write, 2 usage, 3 quota exceeded, 4 service failed.",
    ],
    options: {
      ...fetcher.options,
      out: { takes: "F", about: "CSV file to write; missing directories are created.", required: true },
      "base-url": { takes: "U", about: "Send requests to U/<host> in place of https://<host>." },
    },
    run: (options) => fetchToFile(fetcher, options),
  });
}

/**
 * @param {Fetcher} fetcher
 * @param {import("./command.mjs").Values} options
 */
async function fetchToFile(fetcher, options) {
  fetcher.check?.(options);
  const { out, "base-url": baseUrl } = options;
  const { columns, quotaAdvice = "Wait for the quota to renew, or ask for less.", what } = fetcher;
  const client = new Client({ baseUrl, userAgent: userAgentFor(fetcher), quotaAdvice });
  /** @type {Record<string, unknown>[]} */
  const rows = [];
  try {
    for await (const row of fetcher.fetchRows({ options, client })) rows.push(row);
  } catch (error) {
    if (rows.length > 0) await keepPartial(out, columns, rows);
    throw error;
  }
  if (rows.length === 0) note(`${fetcher.name}: no match; ${out} has a header only`);
  await replaceFile(out, renderCsv(columns, rows));
  // Rows of an earlier run that failed are all in the file now.
  await rm(`${out}.partial`, { force: true });
  process.stdout.write(`Wrote ${rows.length} ${what} rows to ${out}\n`);
}

/**
 * @param {string} out
 * @param {readonly string[]} columns
 * @param {readonly Record<string, unknown>[]} rows
 */
async function keepPartial(out, columns, rows) {
  await replaceFile(`${out}.partial`, renderCsv(columns, rows));
  note(`The ${rows.length} rows received before the failure are in ${out}.partial`);
}

/** @param {Fetcher} fetcher */
function userAgentFor({ userAgentVariable }) {
  const name = userAgentVariable ?? "RECORDS_USER_AGENT";
  const value = process.env[name]?.trim();
  if (!value) {
    if (userAgentVariable === undefined) return DEFAULT_USER_AGENT;
    throw new HelperError(
      EXIT.usage,
      `${name} is not set; the service requires a name and an e-mail address, such as "Jo Doe jo@example.org"`,
    );
  }
  if (!/^[\x20-\x7e]+$/.test(value)) throw usageError(`${name} has characters that a header cannot carry`);
  return value;
}

/**
 * Value of a token option, or of its variable.
 *
 * @param {string | undefined} given
 * @param {string} variable
 * @returns {string | undefined}
 */
export function tokenFrom(given, variable) {
  const token = (given ?? process.env[variable])?.trim();
  if (token === undefined || token === "") return undefined;
  if (!/^[\x21-\x7e]+$/.test(token)) throw usageError(`--token or ${variable} has characters that a token cannot have`);
  return token;
}

/**
 * An address with the parameters that have a value.
 *
 * @param {string} base
 * @param {Record<string, string | number | undefined>} parameters
 */
export function withQuery(base, parameters) {
  const url = new URL(base);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.append(name, String(value));
  return url.href;
}

/**
 * The list in an answer, or an error that names the service: a changed format must not look like "no match".
 *
 * @param {unknown} value
 * @param {string} host
 * @param {string} name
 * @returns {any[]}
 */
export function listIn(value, host, name) {
  if (Array.isArray(value)) return value;
  throw new HelperError(EXIT.upstream, `the answer of ${host} has no list '${name}'; its format may have changed`);
}
