import { note } from "./lib/command.mjs";
import { listIn, runFetcher } from "./lib/fetcher.mjs";
import { requireOneOf, textAt } from "./lib/values.mjs";

const HOST = "api.usaspending.gov";
const PAGE = 100;

/** Contracts: BPA call, purchase order, delivery order, definitive contract. */
const CONTRACTS = ["A", "B", "C", "D"];
/** Not available for competition, not competed, follow-on, not competed under simplified acquisition, not competed delivery order. */
const NOT_COMPETED = ["B", "C", "E", "G", "NDO"];

/** Names that the service gives its fields. */
const FIELDS = [
  "Award ID",
  "Recipient Name",
  "Recipient UEI",
  "Recipient DUNS Number",
  "Recipient Parent Name",
  "Recipient Location",
  "Awarding Agency",
  "Awarding Sub Agency",
  "Contract Award Type",
  "Award Amount",
  "Base Obligation Date",
  "Start Date",
  "End Date",
  "NAICS",
  "PSC",
  "Extent Competed",
  "Description",
];

/** @type {import("./lib/fetcher.mjs").Fetcher} */
const fetcher = {
  name: "fetch-usaspending",
  about: "Load federal contract awards from USAspending, the largest first.",
  what: "award",
  options: {
    recipient: { takes: "NAME", about: "Text in the recipient's name, its UEI or its DUNS number." },
    agency: { takes: "NAME", about: "Awarding agency by its full name, such as 'Department of Defense'." },
    fy: {
      takes: "YEAR",
      kind: "integer",
      least: 2008,
      most: 2100,
      about: "Fiscal year: 1 October of the year before to 30 September.",
    },
    "sole-source-only": { about: "Only awards that were not competed." },
    "max-pages": {
      takes: "N",
      kind: "integer",
      least: 1,
      most: 500,
      preset: 20,
      about: `Pages of ${PAGE} awards to load.`,
    },
  },
  columns: [
    "award_id",
    "recipient_name",
    "recipient_uei",
    "recipient_duns",
    "recipient_parent_name",
    "recipient_state",
    "awarding_agency",
    "awarding_sub_agency",
    "award_type",
    "award_amount",
    "award_date",
    "period_of_performance_start",
    "period_of_performance_end",
    "naics_code",
    "psc_code",
    "competition_extent",
    "description",
  ],
  check: (options) => requireOneOf(options, "recipient", "agency"),
  fetchRows,
};

/** @param {import("./lib/fetcher.mjs").Job} job */
async function* fetchRows({ options, client }) {
  const filters = toFilters(options);
  for (let page = 1; ; page++) {
    const json = { filters, fields: FIELDS, page, limit: PAGE, sort: "Award Amount", order: "desc", subawards: false };
    const answer = await client.json(`https://${HOST}/api/v2/search/spending_by_award/`, { method: "POST", json });
    for (const award of listIn(answer?.results, HOST, "results")) yield toAward(award, options);
    if (answer?.page_metadata?.hasNext !== true) return;
    if (page === options["max-pages"]) {
      note(`stopped after ${page} pages; more awards match (--max-pages)`);
      return;
    }
  }
}

/** @param {import("./lib/command.mjs").Values} options */
function toFilters({ recipient, agency, fy, "sole-source-only": soleSource }) {
  /** @type {Record<string, unknown>} */
  const filters = { award_type_codes: CONTRACTS };
  if (recipient !== undefined) filters["recipient_search_text"] = [recipient];
  if (agency !== undefined) filters["agencies"] = [{ type: "awarding", tier: "toptier", name: agency }];
  if (fy !== undefined) filters["time_period"] = [{ start_date: `${fy - 1}-10-01`, end_date: `${fy}-09-30` }];
  if (soleSource) filters["extent_competed_type_codes"] = NOT_COMPETED;
  return filters;
}

/**
 * @param {any} award
 * @param {import("./lib/command.mjs").Values} options
 */
function toAward(award, options) {
  const competition = textAt(award, "Extent Competed");
  return {
    award_id: textAt(award, "Award ID"),
    recipient_name: textAt(award, "Recipient Name"),
    recipient_uei: textAt(award, "Recipient UEI"),
    recipient_duns: textAt(award, "Recipient DUNS Number"),
    recipient_parent_name: textAt(award, "Recipient Parent Name"),
    recipient_state: textAt(award, "Recipient Location", "state_code"),
    awarding_agency: textAt(award, "Awarding Agency"),
    awarding_sub_agency: textAt(award, "Awarding Sub Agency"),
    award_type: textAt(award, "Contract Award Type"),
    award_amount: textAt(award, "Award Amount"),
    award_date: textAt(award, "Base Obligation Date"),
    period_of_performance_start: textAt(award, "Start Date"),
    period_of_performance_end: textAt(award, "End Date"),
    naics_code: codeOf(award?.["NAICS"]),
    psc_code: codeOf(award?.["PSC"]),
    competition_extent: competition || (options["sole-source-only"] ? "not competed" : ""),
    description: textAt(award, "Description"),
  };
}

/**
 * A code stands alone, or beside its description.
 *
 * @param {unknown} value
 */
const codeOf = (value) => textAt(value) || textAt(value, "code");

await runFetcher(fetcher);
