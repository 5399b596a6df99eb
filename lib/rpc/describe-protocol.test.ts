import assert from "node:assert/strict";
import { test } from "node:test";
import { dashboardWorld } from "../../fixtures/dashboard/world.js";
import { runLine } from "../../fixtures/sim/run-line.js";
import { COMMANDS } from "../commands/index.gen.js";
import type { ProtocolDocument } from "../contracts/owner/protocol-document.js";
import { checkEvent } from "../contracts/wire/protocol/events.js";
import { checkResult, RESULTS } from "../contracts/wire/protocol/results.js";
import { SUMMARIES } from "../contracts/wire/protocol/summaries.js";
import { services } from "./commands/command-services.js";
import { listMethods } from "./owner-methods.js";

test("the published protocol lists every method that a WebSocket passes on, with the schema of its parameters", async (t) => {
  const { app, ask, askPlain } = await dashboardWorld(t);
  assert.equal((await askPlain("GET", "/api/protocol.json")).status, 401);
  const published: ProtocolDocument = JSON.parse((await ask("GET", "/api/protocol.json")).text);
  const names = published.methods.map(({ name }) => name);
  const own = [...listMethods(app, COMMANDS)].flatMap(([name, method]) => (method.workers === true ? [] : [name]));
  assert.deepEqual(
    own.filter((name) => !names.includes(name)),
    [],
  );
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    published.methods.flatMap(({ name, result }) => (Object.keys(result).length === 0 ? [name] : [])),
    [],
    "methods whose answer is not described",
  );
  assert.deepEqual(
    published.methods.flatMap(({ name, summary }) => (summary === undefined ? [name] : [])),
    [],
    "methods that nothing says a word about",
  );
  assert.deepEqual(
    Object.keys(SUMMARIES).filter((name) => !names.includes(name)),
    [],
    "words about methods that are not there",
  );
  assert.doesNotMatch(JSON.stringify(published), /9007199254740991/, "a bound that says nothing");
  assert.deepEqual(
    [...RESULTS.keys()].filter((name) => !names.includes(name)),
    [],
    "answers of methods that are not there",
  );
  const resultOf = (wanted: string) => published.methods.find(({ name }) => name === wanted)?.result;
  assert.deepEqual(resultOf("session.create"), { $ref: "#/schemas/Session" });
  assert.deepEqual(resultOf("kanban.list"), { type: "array", items: { $ref: "#/schemas/Task" } });
  const references = [...JSON.stringify(published).matchAll(/"\$ref":"([^"]+)"/g)].map(([, to = ""]) => to);
  assert.deepEqual(
    references.filter((to) => published.schemas[to.replace("#/schemas/", "")] === undefined),
    [],
  );
  const paramsOf = (wanted: string) => published.methods.find(({ name }) => name === wanted)?.params;
  assert.deepEqual(paramsOf("turn.submit")?.["required"], ["session_id", "text"]);
  assert.deepEqual(Object.keys(Object(paramsOf("events.subscribe")?.["properties"])), ["topics", "after"]);
  assert.ok(
    "title" in Object(paramsOf("kanban.create")?.["properties"]),
    "a command has the parameters of its command line",
  );
  const events = published.events.map(({ name }) => name);
  assert.equal(new Set(events).size, events.length);
  for (const name of ["session.info", "turn.ended", "text.delta", "approval.requested", "created", "owner.leaving"])
    assert.ok(events.includes(name), name);
});

test("agent help protocol --json answers the topic and the same document", async (t) => {
  const { app, ask } = await dashboardWorld(t);
  const { out } = await runLine(["help", "protocol", "--json"], services(app));
  const { text, ...rest } = JSON.parse(out);
  assert.match(text, /events\.subscribe/);
  const published: ProtocolDocument = JSON.parse((await ask("GET", "/api/protocol.json")).text);
  assert.deepEqual(
    { methods: rest.methods, events: rest.events },
    { methods: published.methods, events: published.events },
  );
});

const FRAME = { at: "2026-01-01T00:00:00.000Z", session_id: "s" };
const CASES = [
  {
    what: "an event as it is published",
    event: { ...FRAME, event: "text.delta", data: { text: "a", offset: 3 } },
    says: undefined,
  },
  {
    what: "a member that is not published",
    event: { ...FRAME, event: "text.delta", data: { text: "a", offset: 0, more: 1 } },
    says: /text\.delta: data: unpublished member more/,
  },
  {
    what: "an event that was cut",
    event: { ...FRAME, event: "message.added", data: { truncated: true } },
    says: undefined,
  },
  { what: "an unknown event", event: { ...FRAME, event: "text.new", data: {} }, says: /unpublished event text\.new/ },
  {
    what: "a member of another type",
    event: { ...FRAME, event: "text.delta", data: { text: 1 } },
    says: /text\.delta: data\.text/,
  },
  {
    what: "a time that is a number",
    event: { event: "text.delta", at: 1, data: { text: "a" } },
    says: /invalid event: at/,
  },
] as const;

for (const { what, event, says } of CASES)
  test(`${what} is ${says === undefined ? "found good" : "found to differ"} by the check of the test suite`, () => {
    const problem = checkEvent(event);
    if (says === undefined) assert.equal(problem, undefined);
    else assert.match(problem ?? "", says);
  });

const ANSWERS = [
  { what: "an answer as it is published", result: { interrupted: true }, says: undefined },
  {
    what: "an answer with a member that is not published",
    result: { interrupted: true, more: 1 },
    says: /turn\.interrupt: unpublished member more/,
  },
  {
    what: "an answer with a member of another type",
    result: { interrupted: 1 },
    says: /turn\.interrupt: result\.interrupted/,
  },
] as const;

for (const { what, result, says } of ANSWERS)
  test(`${what} is ${says === undefined ? "found good" : "found to differ"} by the check of the test suite`, () => {
    const problem = checkResult("turn.interrupt", result);
    if (says === undefined) assert.equal(problem, undefined);
    else assert.match(problem ?? "", says);
  });
