import { listIn, runFetcher, withQuery } from "./lib/fetcher.mjs";
import { joinTexts, listAt, textAt } from "./lib/values.mjs";

const WIKIPEDIA = "en.wikipedia.org";
const WIKIDATA = "www.wikidata.org";
const SUMMARY = 1000;
/** Items that Wikidata gives at once. */
const GROUP = 50;

/** @type {import("./lib/fetcher.mjs").Fetcher} */
const fetcher = {
  name: "fetch-wikipedia",
  about: "Look up a name in the English Wikipedia, with facts of Wikidata about each article.",
  what: "article",
  quotaAdvice: "Wikimedia asks for a user agent with an address of yours (RECORDS_USER_AGENT).",
  options: {
    query: { takes: "NAME", about: "Beginning of the title of an article.", required: true },
    limit: { takes: "N", kind: "integer", least: 1, most: 50, preset: 5, about: "Articles to load." },
    "no-wikidata": { about: "Leave out the facts of Wikidata." },
  },
  columns: [
    "source",
    "label",
    "description",
    "qid",
    "wikipedia_title",
    "wikipedia_url",
    "wikidata_url",
    "instance_of",
    "country",
    "occupation",
    "employer",
    "date_of_birth",
    "place_of_birth",
    "summary",
  ],
  fetchRows,
};

/** @param {import("./lib/fetcher.mjs").Job} job */
async function* fetchRows({ options, client }) {
  const api = `https://${WIKIPEDIA}/w/api.php`;
  const search = {
    action: "opensearch",
    search: options["query"],
    limit: options["limit"],
    namespace: 0,
    format: "json",
  };
  const found = await client.json(withQuery(api, search));
  const titles = listIn(found?.[1], WIKIPEDIA, "titles")
    .map((title) => textAt(title))
    .filter(Boolean);
  if (titles.length === 0) return;
  const ids = await findItems(client, titles);
  const items = options["no-wikidata"] ? new Map() : await loadItems(client, [...new Set(ids.values())]);
  const names = await loadNames(client, [...items.values()]);
  for (const title of titles) {
    const page = await client.json(
      `https://${WIKIPEDIA}/api/rest_v1/page/summary/${encodeURIComponent(title.replaceAll(" ", "_"))}`,
    );
    const qid = ids.get(title) ?? textAt(page, "wikibase_item");
    yield { ...toArticle(page, title, qid), ...toFacts(items.get(qid), names) };
  }
}

/**
 * Title -> id of its item of Wikidata. Titles that the service wrote differently, or that lead on to another article, are followed.
 *
 * @param {import("./lib/client.mjs").Client} client
 * @param {readonly string[]} titles
 */
async function findItems(client, titles) {
  const url = withQuery(`https://${WIKIPEDIA}/w/api.php`, {
    action: "query",
    prop: "pageprops",
    ppprop: "wikibase_item",
    redirects: 1,
    titles: titles.join("|"),
    format: "json",
  });
  const query = (await client.json(url))?.query;
  const steps = new Map(
    [...listAt(query, "normalized"), ...listAt(query, "redirects")].map((step) => [
      textAt(step, "from"),
      textAt(step, "to"),
    ]),
  );
  const items = new Map(
    Object.values(query?.pages ?? {}).map((page) => [
      textAt(page, "title"),
      textAt(page, "pageprops", "wikibase_item"),
    ]),
  );
  /** @param {string} title */
  const follow = (title) => steps.get(title) ?? title;
  /** @type {[string, string][]} */
  const found = titles.map((title) => [title, items.get(follow(follow(title))) ?? ""]);
  return new Map(found.filter(([, id]) => isItem(id)));
}

/** @param {string} id */
const isItem = (id) => /^Q\d+$/.test(id);

/**
 * @param {import("./lib/client.mjs").Client} client
 * @param {readonly string[]} ids
 * @param {string} [props]
 * @returns {Promise<Map<string, any>>}
 */
async function loadItems(client, ids, props = "labels|descriptions|claims") {
  /** @type {Map<string, any>} */
  const items = new Map();
  for (let from = 0; from < ids.length; from += GROUP) {
    const group = ids.slice(from, from + GROUP).join("|");
    const search = { action: "wbgetentities", ids: group, props, languages: "en", format: "json" };
    const answer = await client.json(withQuery(`https://${WIKIDATA}/w/api.php`, search));
    for (const [id, item] of Object.entries(answer?.entities ?? {})) items.set(id, item);
  }
  return items;
}

/** Column -> properties; the first that an item has counts. @type {Readonly<Record<string, readonly string[]>>} */
const PROPERTIES = {
  instance_of: ["P31"],
  country: ["P17", "P27"],
  occupation: ["P106"],
  employer: ["P108"],
  place_of_birth: ["P19"],
};

/**
 * English names of everything that the items name as a value.
 *
 * @param {import("./lib/client.mjs").Client} client
 * @param {readonly unknown[]} items
 */
async function loadNames(client, items) {
  const ids = items.flatMap((item) => Object.values(PROPERTIES).flatMap((properties) => valuesOf(item, properties)));
  const loaded = await loadItems(client, [...new Set(ids)], "labels");
  return new Map([...loaded].map(([id, item]) => [id, textAt(item, "labels", "en", "value")]));
}

/**
 * @param {unknown} item
 * @param {readonly string[]} properties
 */
function valuesOf(item, properties) {
  const claims = properties.map((property) => listAt(item, "claims", property)).find(({ length }) => length > 0) ?? [];
  return claims.map((claim) => textAt(claim, "mainsnak", "datavalue", "value", "id")).filter(isItem);
}

/**
 * @param {unknown} page
 * @param {string} title
 * @param {string} qid
 */
function toArticle(page, title, qid) {
  const address = `https://${WIKIPEDIA}/wiki/${encodeURIComponent(title.replaceAll(" ", "_"))}`;
  return {
    source: "wikipedia",
    label: textAt(page, "title") || title,
    description: textAt(page, "description"),
    qid,
    wikipedia_title: title,
    wikipedia_url: textAt(page, "content_urls", "desktop", "page") || address,
    wikidata_url: qid === "" ? "" : `https://${WIKIDATA}/wiki/${qid}`,
    summary: textAt(page, "extract").slice(0, SUMMARY),
  };
}

/**
 * @param {unknown} item
 * @param {Map<string, string>} names
 */
function toFacts(item, names) {
  if (item === undefined) return {};
  /** @type {Record<string, string>} */
  const facts = { source: "wikipedia, wikidata" };
  for (const [column, properties] of Object.entries(PROPERTIES))
    facts[column] = joinTexts(valuesOf(item, properties).map((id) => names.get(id) || id));
  facts["date_of_birth"] = toDay(item);
  const label = textAt(item, "labels", "en", "value");
  if (label !== "") facts["label"] = label;
  const description = textAt(item, "descriptions", "en", "value");
  if (description !== "") facts["description"] = description;
  return facts;
}

/**
 * The date of birth as far as it is known: Wikidata writes zeros, and says how many of its parts count.
 *
 * @param {unknown} item
 */
function toDay(item) {
  const [claim] = listAt(item, "claims", "P569");
  const [, day = ""] = /^\+(\d{4}-\d{2}-\d{2})T/.exec(textAt(claim, "mainsnak", "datavalue", "value", "time")) ?? [];
  const precision = Number(textAt(claim, "mainsnak", "datavalue", "value", "precision"));
  if (precision >= 11) return day;
  return precision === 10 ? day.slice(0, 7) : day.slice(0, 4);
}

await runFetcher(fetcher);
