import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, createApi, toApiError } from "./api.js";

function setup(answer: () => Response, token: string | undefined = "good") {
  const sent: { url: string; init: RequestInit }[] = [];
  let refused = 0;
  const api = createApi({
    base: new URL("http://127.0.0.1:9119/below/"),
    token: () => token,
    refused: () => {
      refused += 1;
    },
    fetch: async (url, init) => {
      sent.push({ url: String(url), init: init ?? {} });
      return answer();
    },
  });
  return { api, sent, refused: () => refused };
}

test("a call goes below the address of the page, with the token, and leaves out what is undefined", async () => {
  const { api, sent } = setup(() => Response.json({ a: 1 }));
  assert.deepEqual(await api.send("POST", "/api/x", { b: 2 }, { board: undefined, q: "ä b" }), { a: 1 });
  const [{ url, init } = { url: "", init: {} }] = sent;
  assert.equal(url, "http://127.0.0.1:9119/below/api/x?q=%C3%A4+b");
  assert.deepEqual(init.headers, { "X-Agent-Session-Token": "good", "Content-Type": "application/json" });
  assert.equal(init.body, '{"b":2}');
});

const REFUSALS = [
  {
    name: "the owner's words",
    status: 409,
    json: { detail: "not while running", code: "E_RUNNING" },
    message: "not while running",
    code: "E_RUNNING",
  },
  {
    name: "what was wrong with each part",
    status: 422,
    json: { detail: [{ loc: ["body", "title"], msg: "too long" }, { msg: "odd" }] },
    message: "body.title: too long; odd",
    code: undefined,
  },
  {
    name: "the status, where there are no words",
    status: 502,
    json: undefined,
    message: "The owner responded 502.",
    code: undefined,
  },
] as const;

for (const { name, status, json, message, code } of REFUSALS)
  test(`a refusal tells ${name}`, () => {
    const error = toApiError(status, json);
    assert.deepEqual([error.status, error.message, error.code], [status, message, code]);
  });

test("a token that is refused is reported once per call; without a token nothing is sent that needs one", async () => {
  const wrong = setup(() => Response.json({ detail: "Unauthorized" }, { status: 401 }));
  await assert.rejects(wrong.api.get("api/x"), (error) => error instanceof ApiError && error.status === 401);
  assert.equal(wrong.refused(), 1);
  const out = setup(() => Response.json({}), "");
  const none = createApi({
    base: new URL("http://h/"),
    token: () => undefined,
    refused: () => undefined,
    fetch: () => Promise.reject(new Error("sent")),
  });
  await assert.rejects(none.get("api/x"), /signed out/);
  assert.deepEqual(out.sent, []);
});

test("an owner that cannot be reached is told so", async () => {
  const { api } = setup(() => {
    throw new TypeError("fetch failed");
  });
  await assert.rejects(api.get("api/x"), (error) => error instanceof ApiError && error.status === 0);
});
