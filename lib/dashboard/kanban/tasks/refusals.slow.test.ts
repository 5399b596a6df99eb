import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answered, setupRest } from "../../../../fixtures/dashboard/rest.js";
import { proves } from "../../../../fixtures/requirements.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import { TASK_ENDPOINTS } from "./tasks.js";

const GONE = "t_00000000";

interface Case {
  readonly method: string;
  /** `:id` is a task that there is. */
  readonly path: string;
  /** A body that is good. */
  readonly body?: object;
  /** Bodies, or queries, that are not, by what is wrong with them. */
  readonly wrong?: readonly (object | string)[];
  /** Its id may be unknown: that is an answer. */
  readonly tolerant?: true;
  readonly upload?: true;
  /** Reads no id of a task in its path. */
  readonly general?: true;
}

const BODIES = [[], null, "text", 7];

/** What is good and what is not, of every endpoint about tasks that takes more than an id. */
const CASES: readonly Case[] = [
  {
    method: "GET",
    path: "/board",
    general: true,
    wrong: ["limit=0", "limit=x", "limit=1e3", "limit=10001", "limit=1&limit=2", "include_archived=maybe"],
  },
  {
    method: "POST",
    path: "/tasks",
    general: true,
    body: { title: "x" },
    wrong: [
      {},
      { title: 1 },
      { title: null },
      { title: "x", parents: "t" },
      { title: "x", priority: 1.5 },
      { title: "x", workspace_kind: "tent" },
    ],
  },
  { method: "GET", path: "/tasks/:id", wrong: ["run_state_type=end&run_state_name=x"] },
  {
    method: "PATCH",
    path: "/tasks/:id",
    body: { title: "x" },
    wrong: [
      { status: 1 },
      { title: null },
      { metadata: [] },
      { verdict: "maybe" },
      { priority: "1" },
      { expected_status: "lost" },
      { hold: "yes" },
    ],
  },
  { method: "DELETE", path: "/tasks/:id" },
  {
    method: "POST",
    path: "/tasks/bulk",
    general: true,
    body: { ids: [GONE], priority: 1 },
    wrong: [{ ids: "x" }, { ids: [1] }, { ids: [GONE], priority: "1" }, { ids: [GONE], metadata: [] }],
  },
  { method: "GET", path: "/tasks/:id/log", wrong: ["tail=0", "tail=2000001", "tail=-1", "tail=all"] },
  { method: "POST", path: "/tasks/:id/reclaim", wrong: [{ reason: 1 }, { reason: "x".repeat(5000) }] },
  {
    method: "POST",
    path: "/tasks/:id/reassign",
    body: { profile: "bob" },
    wrong: [{}, { profile: 1 }, { profile: "x", reclaim_first: "yes" }],
  },
  { method: "POST", path: "/tasks/:id/promote", wrong: [{ force: 1 }, { dry_run: "no" }] },
  {
    method: "POST",
    path: "/tasks/:id/specify",
    tolerant: true,
    wrong: [{ author: 1 }, { author: "a\nb" }, { author: "x".repeat(201) }],
  },
  { method: "POST", path: "/tasks/:id/decompose", tolerant: true, wrong: [{ author: [] }] },
  {
    method: "POST",
    path: "/tasks/:id/comments",
    body: { text: "x" },
    wrong: [{ text: 1 }, { body: {} }, { text: "x", author: "\u0000" }],
  },
  {
    method: "POST",
    path: "/links",
    general: true,
    body: { parent_id: GONE, child_id: GONE },
    wrong: [{}, { parent_id: "x" }, { parent_id: 1, child_id: 2 }],
  },
  {
    method: "DELETE",
    path: "/links",
    general: true,
    wrong: ["", "parent_id=x", "child_id=x", "parent_id=a&parent_id=b&child_id=c"],
  },
  { method: "POST", path: "/tasks/:id/attachments", upload: true },
  { method: "GET", path: "/attachments/:id", general: true },
  { method: "DELETE", path: "/attachments/:id", general: true },
  {
    method: "POST",
    path: "/tasks/:id/subscriptions",
    body: { platform: "msgx", chat_id: "1" },
    wrong: [
      {},
      { platform: "msgx" },
      { platform: "msgx", chat_id: 1 },
      { platform: "msgx", chat_id: "1", kinds: "done" },
    ],
  },
  { method: "DELETE", path: "/tasks/:id/subscriptions", wrong: ["", "platform=msgx"] },
];

/** An endpoint that only looks at one task and takes nothing but its id needs no row of its own. */
const PLAIN: readonly Case[] = TASK_ENDPOINTS.filter(
  ({ method, path }) =>
    method === "GET" &&
    path.startsWith("/tasks/:id/") &&
    !CASES.some((row) => row.method === method && row.path === path),
).map(({ path }) => ({ method: "GET", path }));
const ROWS = [...CASES, ...PLAIN];

test("every endpoint about tasks has its row here", () => {
  const names = (rows: readonly { readonly method: string; readonly path: string }[]) =>
    new Set(rows.map(({ method, path }) => `${method} ${path}`));
  assert.deepEqual(names(ROWS), names(TASK_ENDPOINTS));
});

interface Problem {
  readonly detail:
    | string
    | readonly { readonly loc: readonly unknown[]; readonly msg: string; readonly type: string }[];
  readonly code?: string;
}

const form = (size: number) => ({
  raw: `--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n${"x".repeat(size)}\r\n--b--`,
  headers: { "content-type": "multipart/form-data; boundary=b" },
});

async function setup(t: Parameters<typeof setupRest>[0], { method, path, body, upload }: Case) {
  const { world, ask } = await setupRest(t);
  const { id } = (await world.board.create(DEFAULT, { title: "one" }, USER)).task;
  const before = await world.board.task(DEFAULT, id);
  /** Ask with the good request, changed in one way. */
  const send = (change: {
    query?: string;
    id?: string;
    body?: unknown;
    raw?: string;
    headers?: Record<string, string | undefined>;
  }): Promise<Answered<Problem>> => {
    const at =
      path.replace(":id", encodeURIComponent(change.id ?? id)) + (change.query === undefined ? "" : `?${change.query}`);
    const sent = upload === true ? form(3) : undefined;
    const raw = change.raw ?? sent?.raw;
    return ask<Problem>(method, at, change.body ?? body, {
      ...(raw === undefined ? {} : { raw }),
      headers: { ...sent?.headers, ...change.headers },
    });
  };
  const unchanged = async () => assert.deepEqual(await world.board.task(DEFAULT, id), before);
  return { send, unchanged };
}

for (const row of ROWS) {
  const { method, path, body, general, tolerant, upload, wrong = [] } = row;
  const takesJson = method !== "GET" && method !== "DELETE" && upload !== true;
  test(`${method} ${path} lets in no one without the token, and no page of others`, async (t) => {
    const { send, unchanged } = await setup(t, row);
    const strangers = [
      { authorization: undefined },
      { authorization: "Bearer wrong" },
      { authorization: "Basic right" },
    ];
    for (const headers of strangers) assert.equal((await send({ headers })).status, 401);
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
    ]) {
      const answer = await send({ headers });
      assert.deepEqual([answer.status, answer.json.code], [403, "E_FORBIDDEN"]);
    }
    assert.equal((await send({ headers: { host: "evil.example" } })).status, 400);
    await unchanged();
  });

  test(`${method} ${path} says which board, task or value is wrong`, async (t) => {
    proves(t, "dashboard.errors-decided");
    const { send, unchanged } = await setup(t, row);
    const good = method === "DELETE" && path === "/links" ? `&parent_id=${GONE}&child_id=${GONE}` : "";
    const place = path.endsWith("subscriptions") && method === "DELETE" ? "&platform=msgx&chat_id=1" : good;
    const malformed = await send({ query: `board=..%2Fx${place}` });
    assert.deepEqual([malformed.status, malformed.json.code], [400, "E_BAD_BOARD"]);
    const unknown = await send({ query: `board=nowhere${place}` });
    assert.deepEqual([unknown.status, unknown.json.code], [404, "E_BOARD_NOT_FOUND"]);
    if (general !== true && tolerant !== true)
      for (const id of [GONE, "t_0", "T_00000000", "1", "__proto__", "../x", "\u0000", "t".repeat(10_000)]) {
        const answer = await send({ id, query: place.slice(1) });
        assert.deepEqual([answer.status, answer.json.code], [404, "E_NOT_FOUND"], id.slice(0, 20));
      }
    const values = takesJson
      ? [...BODIES, ...wrong].map((given) => ({ raw: JSON.stringify(given) }))
      : wrong.map((query) => ({ query: String(query) }));
    for (const value of values) {
      const answer = await send(value);
      assert.equal(answer.status, 422, JSON.stringify(value).slice(0, 80));
      const [first] = answer.json.detail;
      assert.ok(typeof first === "object" && first.loc.length > 0 && first.msg !== "");
    }
    await unchanged();
  });

  if (takesJson)
    test(`${method} ${path} takes no body that is too large, too deep, of another type or no JSON`, async (t) => {
      const { send, unchanged } = await setup(t, row);
      const good = JSON.stringify(body ?? {});
      const deep = `{"x":${"[".repeat(100)}${"]".repeat(100)}}`;
      assert.equal((await send({ raw: `${good}${" ".repeat(1 << 20)}` })).status, 413);
      for (const raw of ["{", "\u0000", "{'title':1}", deep]) assert.equal((await send({ raw })).status, 400);
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
        assert.equal((await send({ raw: good, headers: { "content-type": type } })).status, 415);
      }
      await unchanged();
    });
}
