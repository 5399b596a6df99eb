import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRoute, parseRoute, withQuery } from "../route.js";
import { queryOf, readAddress, withAddress } from "./address.js";
import { EVERYTHING, NOBODY } from "./filter.js";
import { FIRST_VIEW } from "./view.js";

const USUAL = { tenant: "", archived: false };

const VIEWS = [
  {
    name: "a search with signs of its own",
    filter: { search: "a&b=c #d +e", tenant: "", assignee: "" },
    archived: false,
    usual: USUAL,
  },
  {
    name: "tasks without an assignee",
    filter: { search: "", tenant: "acme", assignee: NOBODY },
    archived: false,
    usual: USUAL,
  },
  { name: "the archived column", filter: EVERYTHING, archived: true, usual: USUAL },
  {
    name: "all tenants, where the settings show one",
    filter: EVERYTHING,
    archived: false,
    usual: { tenant: "acme", archived: true },
  },
] as const;

for (const { name, filter, archived, usual } of VIEWS)
  test(`the address of the board holds ${name}, so that a copy of it shows the same`, () => {
    const open = parseRoute("#/board/t_1?board=other");
    const copied = parseRoute(formatRoute(withQuery(open, queryOf({ filter, archived }, usual))));
    assert.deepEqual(readAddress(copied, usual), { filter, archived });
    assert.deepEqual([copied.id, copied.query["board"]], ["t_1", "other"]);
  });

test("without filters the address stays short, and the filter of the settings is shown", () => {
  const usual = { tenant: "acme", archived: true };
  const view = readAddress(parseRoute("#/board"), usual);
  assert.deepEqual(view, { filter: { ...EVERYTHING, tenant: "acme" }, archived: true });
  assert.equal(formatRoute(withQuery(parseRoute("#/board"), queryOf(view, usual))), "#/board");
});

test("an address that says what is shown already changes nothing", () => {
  assert.equal(withAddress(FIRST_VIEW, readAddress(parseRoute("#/board"), USUAL)), FIRST_VIEW);
  const route = parseRoute("#/board?q=x");
  assert.equal(withQuery(route, { q: "x", tenant: undefined }), route);
});
