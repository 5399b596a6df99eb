import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { AppError } from "../base/errors.js";
import { silentLog } from "../base/log/log.js";
import { defineEndpoint, type Endpoint } from "./endpoint.js";
import { createHttpServer, listenOn } from "./listener.js";
import { type AccessRequest, serveEndpoints } from "./serve.js";

const ENDPOINTS: readonly Endpoint<{ readonly word: string }>[] = [
  defineEndpoint({
    method: "GET",
    path: "/api/things/:id",
    summary: "One thing.",
    tag: "things",
    query: z.object({ times: z.coerce.number().int().min(1).max(3).default(1) }),
    answer: z.object({ id: z.string(), text: z.string() }),
    run: async ({ params, query }, { word }: { readonly word: string }) => ({
      json: { id: params["id"], text: word.repeat(query.times) },
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/things",
    summary: "Make one.",
    tag: "things",
    body: z.object({ name: z.string().min(1).default("plain") }),
    answer: z.object({ name: z.string() }),
    run: async ({ body }) => {
      if (body.name === "taken") throw new AppError("E_STATE", "there is one already");
      if (body.name === "broken") throw new Error("a detail of ours");
      return { status: 201, json: { name: body.name } };
    },
  }),
];

async function serve(t: TestContext) {
  const serving = {
    endpoints: ENDPOINTS,
    parts: { word: "ab" },
    rules: () => ({
      local: true,
      pages: true,
      bindHost: "127.0.0.1",
      ownAddresses: [],
      allowedHosts: [],
      allowedOrigins: [],
    }),
    log: silentLog,
    maxBody: 1000,
    admit: ({ request }: AccessRequest) =>
      request.headers["authorization"] === "Bearer right" ? ("known" as const) : ("unknown" as const),
  };
  const server = createHttpServer(serveEndpoints(serving));
  const port = await listenOn(server, "127.0.0.1", 0);
  t.after(() => new Promise((resolve) => server.close(resolve)));
  return async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: "Bearer right", "content-type": "application/json", connection: "close", ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, json: JSON.parse(await answer.text()) };
  };
}

test("an endpoint gets its parts of the path and its query, checked and converted", async (t) => {
  const ask = await serve(t);
  assert.deepEqual(await ask("GET", "/api/things/a%2Fb?times=2"), { status: 200, json: { id: "a/b", text: "abab" } });
});

const WRONG = [
  { name: "a wrong token", ask: ["GET", "/api/things/1", undefined, { authorization: "Bearer wrong" }], status: 401 },
  { name: "a path that nothing serves", ask: ["GET", "/api/none"], status: 404 },
  { name: "another method", ask: ["DELETE", "/api/things/1"], status: 405 },
  { name: "a wrong query", ask: ["GET", "/api/things/1?times=9"], status: 422 },
  { name: "a wrong body", ask: ["POST", "/api/things", '{"name":1}'], status: 422 },
  { name: "a body that is no JSON", ask: ["POST", "/api/things", "{"], status: 400 },
  {
    name: "a body of a form",
    ask: ["POST", "/api/things", "name=x", { "content-type": "application/x-www-form-urlencoded" }],
    status: 415,
  },
  {
    name: "a body that is too large",
    ask: ["POST", "/api/things", JSON.stringify({ name: "x".repeat(2000) })],
    status: 413,
  },
  {
    name: "a body that is nested too deep",
    ask: ["POST", "/api/things", `${"[".repeat(200)}${"]".repeat(200)}`],
    status: 400,
  },
  { name: "a state that forbids it", ask: ["POST", "/api/things", '{"name":"taken"}'], status: 409 },
  { name: "something broken inside", ask: ["POST", "/api/things", '{"name":"broken"}'], status: 500 },
] as const;

for (const { name, ask: question, status } of WRONG)
  test(`${name} is answered with ${status} and says what is wrong`, async (t) => {
    const ask = await serve(t);
    const [method, path, body, headers] = question as readonly [string, string, string?, Record<string, string>?];
    const answer = await ask(method, path, body, headers);
    assert.equal(answer.status, status);
    assert.ok("detail" in answer.json);
    assert.ok(!JSON.stringify(answer.json).includes("a detail of ours"));
  });

test("a POST without a body is one with an empty object", async (t) => {
  const ask = await serve(t);
  assert.deepEqual(await ask("POST", "/api/things", undefined, { "content-type": "text/plain" }), {
    status: 201,
    json: { name: "plain" },
  });
});
