import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Words that say what kind of firm a name belongs to, or too little to tell two firms apart. */
const DROPPED = new Set(
  (
    "INC INCORPORATED LLC LLP LP LTD LIMITED CORP CORPORATION CO COMPANY GROUP GRP HOLDINGS HOLDING PARTNERS ASSOCIATES " +
    "INTERNATIONAL INTL ENTERPRISES ENTERPRISE SERVICES SERVICE SVCS SOLUTIONS MANAGEMENT MGMT CONSULTING TECHNOLOGY " +
    "TECHNOLOGIES TECH INDUSTRIES INDUSTRY AMERICA AMERICAN USA US PLLC PC TRUST FOUNDATION"
  ).split(" "),
);

/**
 * A name as its words that identify it, in their order.
 *
 * @param {string} name
 */
export function tokensOf(name) {
  const words = name
    .normalize("NFC")
    .toUpperCase()
    .replace(/[^\p{L}\p{M}\p{N}_ ]/gu, " ");
  return words.split(" ").filter((word) => word !== "" && !DROPPED.has(word));
}

/**
 * The form in which two writings of a name are compared: `Acme Widgets, Inc.` becomes `ACME WIDGETS`.
 *
 * @param {string} name
 * @returns {string} empty when no word identifies it; such a name matches nothing
 */
export const normalizeName = (name) => tokensOf(name).join(" ");

const HELP = `Usage: node normalize.mjs NAME...

Print the form in which entity-resolution compares each name: upper case, without signs and without words
such as INC or HOLDINGS. Other modules import normalizeName and tokensOf.

Exit codes: 0 printed, 2 usage.
`;

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  if (names.includes("--help")) process.stdout.write(HELP);
  else if (names.length > 0) process.stdout.write(`${names.map(normalizeName).join("\n")}\n`);
  else {
    process.stderr.write("normalize: no name given (see normalize.mjs --help)\n");
    process.exitCode = 2;
  }
}
