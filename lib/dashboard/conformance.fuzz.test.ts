import assert from "node:assert/strict";
import { test } from "node:test";
import { type Described, type Description, readDescription } from "../../fixtures/dashboard/described.js";
import type { Asked } from "../../fixtures/dashboard/example.js";
import { EXAMPLES } from "../../fixtures/dashboard/examples/all.js";
import { type BadRequest, badRequests, targetOf } from "../../fixtures/dashboard/requests/bad-requests.js";
import { openStage, type Stage } from "../../fixtures/dashboard/stage.js";

const CONFIG = "platforms:\n  msgt:\n    home_channel:\n      chat_id: 42\n";
const nameOf = ({ method, path }: Described): string => `${method} ${path.replace(/\{([a-z_]+)\}/g, ":$1")}`;

test("no endpoint does anything for bad, missing, oversized or foreign input, and each says what is wrong", async (t) => {
  const { stage, description } = await opened(t);
  for (const endpoint of description.endpoints) {
    await t.test(nameOf(endpoint), async () => {
      const asked = (await EXAMPLES[nameOf(endpoint)]?.(stage)) ?? {};
      for (const bad of badRequests(endpoint, asked, description)) {
        const answer = await ask(stage, bad);
        const refused = bad.statuses.includes(answer.status) && "detail" in answer.json;
        const toldSo = answer.status === 200 && answer.json["ok"] === (false as unknown); // outcomes of a model's work are answers
        assert.ok(
          refused || toldSo,
          `${bad.name}: ${answer.status}, not ${bad.statuses.join(", ")}: ${answer.text.slice(0, 200)}`,
        );
        assert.deepEqual(answer.status === 404 ? [] : description.against(endpoint, answer), [], bad.name);
      }
    });
  }
});

test("a path that is there says which methods it has, and a path beside it that it is not there", async (t) => {
  const { stage, description } = await opened(t);
  const forms = description.endpoints.map(({ method, path }) => ({
    method,
    form: new RegExp(`^${path.replace(/\{[a-z_]+\}/g, "[^/]+")}$`),
  }));
  for (const path of new Set(description.endpoints.map((endpoint) => endpoint.path))) {
    const target = targetOf(path, {});
    const has = forms.filter(({ form }) => form.test(target)).map(({ method }) => method);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((one) => !has.includes(one))) {
      const answer = await ask(stage, { name: path, method, target, statuses: [] });
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.deepEqual(new Set(answer.headers.allow?.split(", ")), new Set(has), `${method} ${path}`);
    }
    for (const beside of [`${target}/`, `${target}/more/and/more`, `/x${target}`, target.toUpperCase()])
      assert.ok(
        [404, 405].includes((await ask(stage, { name: path, method: "GET", target: beside, statuses: [] })).status),
        beside,
      );
  }
});

test("keys that no one knows are ignored, in bodies and in queries", async (t) => {
  const { stage, description } = await opened(t);
  for (const endpoint of description.endpoints) {
    if (description.streams(endpoint)) continue;
    const asked: Asked = (await EXAMPLES[nameOf(endpoint)]?.(stage)) ?? {};
    const body =
      asked.raw?.bytes ??
      (description.bodyOf(endpoint) === undefined ? asked.body : { ...(asked.body as object), unheard_of: { a: 1 } });
    const target = targetOf(endpoint.path, { ...asked, query: { ...asked.query, unheard_of: "1" } });
    const headers = asked.raw === undefined ? {} : { "content-type": asked.raw.type };
    const answer = await stage.world.ask(endpoint.method, target, body, headers);
    assert.ok(answer.status < 300, `${nameOf(endpoint)}: ${answer.status} ${answer.text.slice(0, 200)}`);
    assert.deepEqual(description.against(endpoint, answer), [], nameOf(endpoint));
  }
});

const TEXTS = [
  "",
  " ",
  "\u0000",
  "🙂".repeat(50),
  "x".repeat(100_000),
  "../../etc",
  "-1",
  "1e999",
  "NaN",
  "{}",
  "' OR 1=1 --",
  "\r\nX-Evil: 1",
];

test("strange texts in queries and bodies never break anything inside", async (t) => {
  const { stage, description } = await opened(t);
  for (const endpoint of description.endpoints) {
    for (const strange of await strangeRequests(stage, endpoint, description)) {
      const answer = await ask(stage, strange, description.streams(endpoint));
      assert.ok(answer.status < 500, `${strange.name}: ${answer.status} ${answer.text.slice(0, 200)}`);
      if (answer.status !== 404 && !description.streams(endpoint))
        assert.deepEqual(description.against(endpoint, answer), [], strange.name);
    }
  }
});

/** Each parameter of the query and each text of the body in turn is strange. */
async function strangeRequests(
  stage: Stage,
  endpoint: Described,
  description: Description,
): Promise<readonly BadRequest[]> {
  const asked: Asked = (await EXAMPLES[nameOf(endpoint)]?.(stage)) ?? {};
  const { method, path, operation } = endpoint;
  const parameters = (operation["parameters"] ?? []) as readonly { readonly in: string; readonly name: string }[]; // as OpenAPI has them
  const queries = parameters.flatMap(({ in: place, name }) => (place === "query" && name !== "ticket" ? [name] : []));
  const texts = Object.keys((description.bodyOf(endpoint)?.["properties"] ?? {}) as object);
  const short = TEXTS.filter((text) => text.length < 8_000);
  const about = { method, statuses: [], headers: asked.raw === undefined ? {} : { "content-type": asked.raw.type } };
  return [
    ...queries.flatMap((name) =>
      short.map((text) => ({
        ...about,
        name: `${nameOf(endpoint)}?${name}=${text.slice(0, 20)}`,
        target: targetOf(path, { ...asked, query: { ...asked.query, [name]: text } }),
        body: asked.raw?.bytes ?? asked.body,
      })),
    ),
    ...texts.flatMap((name) =>
      TEXTS.map((text) => ({
        ...about,
        name: `${nameOf(endpoint)} ${name}: ${text.slice(0, 20)}`,
        target: targetOf(path, asked),
        body: { ...(asked.body as object), [name]: text },
      })),
    ),
  ];
}

async function opened(t: Parameters<typeof openStage>[0]): Promise<{ stage: Stage; description: Description }> {
  const stage = await openStage(t, { config: CONFIG });
  return { stage, description: readDescription((await stage.world.ask("GET", "/api/openapi.json")).json) };
}

const ask = ({ world }: Stage, { method, target, headers = {}, body, anonymous }: BadRequest, headOnly = false) =>
  world.askPlain(method, target, {
    headers: {
      ...(anonymous === true ? {} : { authorization: `Bearer ${world.token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body,
    ...(headOnly ? { headOnly: true as const } : {}),
  });
