import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { type Ask, setupRest } from "../../../../fixtures/dashboard/rest.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import type { Attachment } from "../../../contracts/board/records.js";

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content: string | Buffer;
}

function form(parts: readonly Part[]): { raw: Buffer; headers: Record<string, string> } {
  const pieces = parts.flatMap(({ name, filename, type, content }) => {
    const file = filename === undefined ? "" : `; filename="${filename}"`;
    const kind = type === undefined ? "" : `\r\nContent-Type: ${type}`;
    return [`--frontier\r\nContent-Disposition: form-data; name="${name}"${file}${kind}\r\n\r\n`, content, "\r\n"];
  });
  const raw = Buffer.concat([...pieces, "--frontier--\r\n"].map((piece) => Buffer.from(piece)));
  return { raw, headers: { "content-type": "multipart/form-data; boundary=frontier" } };
}

const upload = (ask: Ask, id: string, parts: readonly Part[]) =>
  ask<{ attachment: Attachment; code?: string; detail?: string }>(
    "POST",
    `/tasks/${id}/attachments`,
    undefined,
    form(parts),
  );

async function setup(t: Parameters<typeof setupRest>[0], settings: Readonly<Record<string, unknown>> = {}) {
  const rest = await setupRest(t, { settings });
  const { task } = await rest.world.board.create(DEFAULT, { title: "one" }, USER);
  return { ...rest, id: task.id, folder: `${rest.world.root}/kanban/attachments/${task.id}` };
}

test("a file is kept, listed, downloaded as it was and removed", async (t) => {
  const { ask, id, folder } = await setup(t);
  const content = Buffer.from([0, 13, 10, 45, 45, 255, 254, ...Buffer.from("\r\n--frontie")]);
  const made = await upload(ask, id, [
    { name: "file", filename: "../../a ü.bin", type: "application/octet-stream", content },
    { name: "uploaded_by", content: "ann" },
  ]);
  assert.equal(made.status, 200, JSON.stringify(made.json));
  const row = made.json.attachment;
  assert.deepEqual([row.filename, row.size, row.uploaded_by, row.task_id], ["a ü.bin", content.length, "ann", id]);
  const { json } = await ask<{ attachments: readonly Attachment[] }>("GET", `/tasks/${id}/attachments`);
  assert.deepEqual(json.attachments, [row]);
  const got = await ask("GET", `/attachments/${row.id}`);
  assert.deepEqual(got.bytes, content);
  assert.equal(got.headers["x-content-type-options"], "nosniff");
  assert.match(
    got.headers["content-disposition"] ?? "",
    /^attachment; filename="a _.bin"; filename\*=UTF-8''a%20%C3%BC.bin$/,
  );
  assert.deepEqual((await ask("DELETE", `/attachments/${row.id}`)).json, { ok: true, id: row.id });
  assert.equal((await ask("GET", `/attachments/${row.id}`)).status, 404);
  assert.deepEqual(readdirSync(folder), []);
});

test("a page that someone attached is never shown as one of ours", async (t) => {
  const { ask, id } = await setup(t);
  const made = await upload(ask, id, [
    { name: "file", filename: "x.html", type: "text/html", content: "<script>1</script>" },
  ]);
  const { headers } = await ask("GET", `/attachments/${made.json.attachment.id}`);
  assert.match(headers["content-disposition"] ?? "", /^attachment;/);
  assert.equal(headers["content-security-policy"], "default-src 'none'; sandbox");
});

test("a download of a browser is let in by a ticket in place of the token", async (t) => {
  const { ask, id } = await setup(t);
  const made = await upload(ask, id, [{ name: "file", filename: "x.txt", content: "x" }]);
  const path = `/attachments/${made.json.attachment.id}`;
  const bare = { headers: { authorization: undefined } };
  assert.equal((await ask("GET", `${path}?ticket=right`, undefined, bare)).status, 200);
  assert.equal((await ask("GET", path, undefined, bare)).status, 401);
});

test("two files of one name are both kept, also when they come at the same time", async (t) => {
  const { ask, id } = await setup(t);
  const many = await Promise.all(
    ["a", "b", "c"].map((content) => upload(ask, id, [{ name: "file", filename: "x.tar.gz", content }])),
  );
  assert.deepEqual(many.map(({ json }) => json.attachment.filename).toSorted(), [
    "x (1).tar.gz",
    "x (2).tar.gz",
    "x.tar.gz",
  ]);
});

const BAD: readonly { readonly name: string; readonly parts: readonly Part[]; readonly status: number }[] = [
  { name: "a form without a file", parts: [{ name: "uploaded_by", content: "ann" }], status: 400 },
  { name: "a file without a name", parts: [{ name: "file", filename: "", content: "x" }], status: 400 },
  { name: "a name of dots and slashes", parts: [{ name: "file", filename: "../..", content: "x" }], status: 400 },
  { name: "a file over the bound", parts: [{ name: "file", filename: "x", content: "x".repeat(101) }], status: 413 },
  { name: "a field that is too long", parts: [{ name: "uploaded_by", content: "x".repeat(5000) }], status: 413 },
  {
    name: "a name that controls",
    parts: [
      { name: "file", filename: "x", content: "x" },
      { name: "uploaded_by", content: "a\u0007" },
    ],
    status: 400,
  },
];

for (const { name, parts, status } of BAD)
  test(`${name} is answered with ${status}, and nothing of it stays`, async (t) => {
    const { ask, id, folder } = await setup(t, { "kanban.attachment_max_bytes": 100 });
    const answer = await upload(ask, id, parts);
    assert.deepEqual([answer.status, typeof answer.json.detail], [status, "string"]);
    assert.deepEqual(existsSync(folder) ? readdirSync(folder) : [], []);
  });

test("the answer to an upload that is far too large, or for no task, reaches who sends it", async (t) => {
  const { ask, id } = await setup(t, { "kanban.attachment_max_bytes": 1000 });
  const large = [{ name: "file", filename: "x", content: Buffer.alloc(12 << 20, 120) }];
  assert.equal((await upload(ask, id, large)).status, 413);
  assert.equal((await upload(ask, "t_00000000", large)).status, 404);
});

test("attachments of a full board are refused, and room is there again when one is removed", async (t) => {
  const { ask, id } = await setup(t, { "kanban.attachments_board_max_bytes": 10 });
  const first = await upload(ask, id, [{ name: "file", filename: "a", content: "12345678" }]);
  const second = () => upload(ask, id, [{ name: "file", filename: "b", content: "123" }]);
  assert.equal((await second()).status, 413);
  await ask("DELETE", `/attachments/${first.json.attachment.id}`);
  assert.equal((await second()).status, 200);
});
