import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import { mediaServer, PNG } from "../../../fixtures/servers/media/media.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";

const CALL: Reply = { tool_calls: [{ name: "image_generate", arguments: { prompt: "a cat" } }] };

test("an owner that is killed while a picture is made: the same call goes on with it, and it is paid once", async (t) => {
  const server = await mediaServer();
  t.after(() => server.close());
  const replies = [CALL, CALL, { text: "done" }];
  const config = `image_gen: {queue: {base_url: "${server.url}"}}\nsecurity: {allow_private_urls: true}\n`;
  const made = await world(t, { model: { script: { replies } }, name: "any", config });
  const env = { FAL_KEY: "fal-secret-key-of-the-test" };
  let isMade = false;
  server.always(/\/status$/, () => ({ value: { status: isMade ? "COMPLETED" : "IN_PROGRESS" } }));
  const working = server.seen(/\/status$/);
  const turn = made.start(["-t", "image_gen", "--yolo", "-z", "draw"], { env });
  await working;
  await turn.end("SIGKILL");
  await made.alone();
  const requests = join(made.home.cache, "requests");
  assert.equal(readdirSync(requests).length, 1, "what was accepted is on the disk");
  isMade = true;
  const { code, err } = await made.run(["-c", "-t", "image_gen", "--yolo", "-z", "again"], { env });
  assert.equal(code, 0, err);
  assert.equal(server.submitted().length, 1);
  const pictures = join(made.home.cache, "images");
  const [name = ""] = readdirSync(pictures);
  assert.deepEqual(readFileSync(join(pictures, name)), PNG);
  assert.ok(!existsSync(requests) || readdirSync(requests).length === 0, "nothing is left open");
});
