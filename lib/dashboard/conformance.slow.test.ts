import assert from "node:assert/strict";
import { test } from "node:test";
import { readDescription } from "../../fixtures/dashboard/described.js";
import type { Asked } from "../../fixtures/dashboard/example.js";
import { EXAMPLES } from "../../fixtures/dashboard/examples/all.js";
import { keysOf, promise, promised } from "../../fixtures/dashboard/promised.js";
import { targetOf } from "../../fixtures/dashboard/requests/bad-requests.js";
import { openStage } from "../../fixtures/dashboard/stage.js";
import { proves } from "../../fixtures/requirements.js";
import { describeApi } from "../http/openapi.js";
import { DASHBOARD_ENDPOINTS } from "./all-endpoints.js";

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;

/** Platforms have their home chats in the settings. */
const CONFIG = "platforms:\n  msgt:\n    home_channel:\n      chat_id: 42\n      name: Team\n";

test("there is an example for every endpoint, and none for what is no endpoint", () => {
  const names = DASHBOARD_ENDPOINTS.map(nameOf);
  assert.deepEqual(
    names.filter((name) => EXAMPLES[name] === undefined),
    [],
    "endpoints without an example",
  );
  assert.deepEqual(
    Object.keys(EXAMPLES).filter((name) => !names.includes(name)),
    [],
    "examples without an endpoint",
  );
});

test("every endpoint answers what the served description says", async (t) => {
  const stage = await openStage(t, { config: CONFIG });
  const { world } = stage;
  const description = readDescription((await world.ask("GET", "/api/openapi.json")).json);
  assert.deepEqual(
    new Set(description.endpoints.map((one) => nameOf({ ...one, path: asPattern(one.path) }))),
    new Set(DASHBOARD_ENDPOINTS.map(nameOf)),
  );
  for (const endpoint of description.endpoints) {
    const name = nameOf({ ...endpoint, path: asPattern(endpoint.path) });
    await t.test(name, async () => {
      const asked: Asked = (await EXAMPLES[name]?.(stage)) ?? {};
      const path = targetOf(endpoint.path, asked);
      const answer = await world.askPlain(endpoint.method, path, {
        headers: {
          authorization: `Bearer ${world.token}`,
          ...asked.headers,
          ...(asked.raw && { "content-type": asked.raw.type }),
        },
        body: asked.raw?.bytes ?? asked.body,
        ...(description.streams(endpoint) && { headOnly: true }),
      });
      assert.ok(answer.status < 300, `${answer.status} ${answer.text.slice(0, 300)}`);
      assert.deepEqual(description.against(endpoint, answer), []);
    });
  }
});

const asPattern = (path: string): string => path.replace(/\{([a-z_]+)\}/g, ":$1");

test("paths carry no version, and no answer loses a key that it has had", (t) => {
  proves(t, "versioning.decided");
  const now = keysOf(readDescription(describeApi(DASHBOARD_ENDPOINTS, { title: "", version: "", description: "" })));
  assert.deepEqual(
    [...now.keys()].filter((name) => /\/v\d+(\/|$)/.test(name)),
    [],
  );
  if (process.env["PROMISED"] === "write") promise(now);
  const had = promised();
  const lost = [...had].flatMap(([name, keys]) =>
    keys.filter((key) => !now.get(name)?.includes(key)).map((key) => `${name} ${key}`),
  );
  assert.deepEqual(lost, [], "clients may need them");
  const fresh = [...now].flatMap(([name, keys]) =>
    keys.filter((key) => !had.get(name)?.includes(key)).map((key) => `${name} ${key}`),
  );
  assert.deepEqual(fresh, [], "PROMISED=write keeps what is new");
});
