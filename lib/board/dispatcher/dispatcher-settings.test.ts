import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import type { Config, ConfigKey } from "../../contracts/config/config.js";
import { mayDispatch, readDispatchSettings } from "./dispatcher-settings.js";

const OFF = ["0", "false", "no", "off", " OFF "];
const ON = ["1", "true", "", undefined];

for (const value of [...OFF, ...ON]) {
  test(`AGENT_KANBAN_DISPATCH_IN_GATEWAY=${value}: ${OFF.includes(value ?? "") ? "nothing is" : "workers are"} started here`, () => {
    assert.equal(mayDispatch(configOf({}), { AGENT_KANBAN_DISPATCH_IN_GATEWAY: value }), !OFF.includes(value ?? ""));
  });
}

test("the environment switches the dispatcher off and never on", (t) => {
  proves(t, "config.kanban.dispatch-in-gateway");
  const config = configOf({ "kanban.dispatch_in_gateway": false });
  assert.equal(mayDispatch(config, { AGENT_KANBAN_DISPATCH_IN_GATEWAY: "1" }), false);
});

test("a workspace dispatches unless it is told not to; an owner without a screen is not asked", () => {
  const config = configOf({ "gateway.in_workspace": false });
  assert.deepEqual(
    [mayDispatch(configOf({}), {}, true), mayDispatch(config, {}, true), mayDispatch(config, {})],
    [true, false, true],
  );
});

const caps = [
  { title: "neither is set", values: {}, cap: undefined },
  { title: "the older name alone", values: { "kanban.max_spawn": 7 }, cap: 7 },
  { title: "both, the older smaller", values: { "kanban.max_spawn": 2, "kanban.max_in_progress": 5 }, cap: 2 },
  { title: "both, the newer smaller", values: { "kanban.max_spawn": 9, "kanban.max_in_progress": 5 }, cap: 5 },
  { title: "unlimited", values: { "kanban.max_in_progress": "unlimited" }, cap: Number.POSITIVE_INFINITY },
  {
    title: "unlimited against a number",
    values: { "kanban.max_in_progress": "unlimited", "kanban.max_spawn": 3 },
    cap: 3,
  },
];

for (const { title, values, cap } of caps) {
  test(`workers at once: ${title}`, () => {
    const { maxInProgress } = readDispatchSettings(configOf(values));
    if (cap === undefined) assert.ok(maxInProgress >= 1 && maxInProgress <= 4);
    else assert.equal(maxInProgress, cap);
  });
}

function configOf(values: Readonly<Record<string, unknown>>): Config {
  return {
    get: <T>(key: ConfigKey<T>) => (key.key in values ? (values[key.key] as T) : key.default), // a test gives values of the key's type
    source: (key) => (key.key in values ? "file" : "default"),
    raw: (path) => values[path],
    hasVariable: () => false,
    onChange: () => () => undefined,
  };
}
