import assert from "node:assert/strict";
import { test } from "node:test";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { modelsWorld } from "../../fixtures/sim/models-cli.js";

test("an endpoint that finds what it cached by a header gets the conversation in it, another one does not", async (t) => {
  const server = await startModelServer({ auxiliary: false });
  t.after(() => server.close());
  const provider = (more: string) => `{ base_url: "${server.url}", api_mode: responses${more} }`;
  const settings = `providers:\n  named: ${provider(", quirks: { cache_header: x-grok-conv-id }")}\n  plain: ${provider("")}\n`;
  const { made } = await modelsWorld(t, settings, {});
  for (const id of ["named", "plain"]) {
    const request = {
      requestId: "r",
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      tools: [],
      cacheKey: "s_root",
    } as const;
    for await (const _event of (await made.provider(id)).stream(request, new AbortController().signal));
  }
  assert.deepEqual(
    server.chats().map(({ headers }) => headers["x-grok-conv-id"]),
    ["s_root", undefined],
  );
});
