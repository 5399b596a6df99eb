import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { decodedFacts, plainPng } from "../../../fixtures/sim/made-pictures.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { type Net, NetError, type NetRequest } from "../../base/net/net.js";
import type { ToolContext, ToolResult } from "../core/define.js";
import videoAnalyze from "./video-analyze.js";
import visionAnalyze from "./vision-analyze.js";

type Reply = { readonly status?: number; readonly body?: Buffer; readonly url?: string } | NetError;

/** A network with one answer for every address. */
function answering(reply: Reply, asked: NetRequest[] = []): Net {
  return {
    fetch: async (request) => {
      asked.push(request);
      if (reply instanceof NetError) throw reply;
      const { status = 200, body = Buffer.alloc(0), url = request.url } = reply;
      async function* pieces() {
        yield body;
      }
      return { url, status, headers: {}, body: pieces(), text: async () => body.toString(), cancel: () => undefined };
    },
    rebuild: async () => undefined,
    close: async () => undefined,
  };
}

/** One call on the address of a page. */
async function fetched(t: TestContext, reply: Reply, image_url = "https://pictures.example/a%20cat.png?size=1") {
  const { context, run } = bench(t);
  const asked: NetRequest[] = [];
  let foreign = 0;
  const more: Partial<ToolContext> = {
    ports: { ...context.ports, net: answering(reply, asked) },
    readUntrusted: () => void foreign++,
  };
  const result = await run(visionAnalyze, { image_url, question: "what is it?" }, more);
  return { result, asked, foreign };
}

const errorOf = ({ text, status }: ToolResult): string => (status === "error" ? String(JSON.parse(text).error) : "");

test("vision_analyze shows a picture of the disk with its question, and tells its name, size and pixels", async (t) => {
  const { project, json, run } = bench(t);
  const bytes = await plainPng({ width: 40, height: 30 });
  writeFileSync(join(project, "cat.png"), bytes);
  const wanted = { image_url: "cat.png", question: "Which colour?" };
  const { hint: _, ...told } = await json(visionAnalyze, wanted);
  assert.deepEqual(told, {
    success: true,
    path: join(project, "cat.png"),
    type: "image/png",
    file_size: bytes.length,
    width: 40,
    height: 30,
    question: "Which colour?",
  });
  const { images } = await run(visionAnalyze, { ...wanted, image_url: `file://${join(project, "cat.png")}` });
  assert.deepEqual(images, [{ data: bytes.toString("base64"), name: "cat.png", question: "Which colour?" }]);
});

test("a picture that is too large for models is shown scaled", async (t) => {
  const { project, run } = bench(t);
  writeFileSync(join(project, "wide.png"), await plainPng({ width: 9_000, height: 90 }));
  const { images = [] } = await run(visionAnalyze, { image_url: "wide.png", question: "?" });
  const [image] = images;
  const data = image !== undefined && "data" in image ? image.data : "";
  assert.equal((await decodedFacts(Buffer.from(data, "base64"))).width, 7_900);
});

test("a picture of the web is fetched through the guard of addresses, and what is told of it is data of others", async (t) => {
  const bytes = await plainPng({ width: 8, height: 6 });
  const { result, asked, foreign } = await fetched(t, { body: bytes, url: "https://cdn.example/x/a%20cat.png" });
  assert.deepEqual(
    asked.map(({ purpose, method }) => [purpose, method]),
    [["web", "GET"]],
  );
  assert.equal(foreign, 1);
  assert.match(
    result.text,
    /^<untrusted_tool_result source="vision_analyze">[\s\S]*"source_url": ?"https:\/\/cdn\.example/,
  );
  assert.equal(result.images?.[0]?.name, "a%20cat.png");
});

const REFUSED: readonly (readonly [string, Reply, RegExp, string?])[] = [
  ["a private address", new NetError("blocked", "10.0.0.1 is a private address"), /cannot download .*private address/],
  ["a missing page", { status: 404 }, /its server responded 404/],
  ["a page of text", { body: Buffer.from("<html>") }, /is not an image that can be shown/],
  ["a drawing", { body: Buffer.from("<svg/>") }, /is not an image that can be shown/],
  ["more than 20 MiB", { body: Buffer.alloc((20 << 20) + 1) }, /exceeds 20 MiB; download it with the terminal/],
  ["a key in the address", {}, /contains a user name or password/, "https://me:key@pictures.example/a.png"],
  ["another protocol", {}, /unsupported address ftp:/, "ftp://pictures.example/a.png"],
];

for (const [what, reply, why, url] of REFUSED)
  test(`vision_analyze refuses ${what} with what to do`, async (t) => {
    const { result } = await fetched(t, reply, url);
    assert.match(errorOf(result), why);
    assert.equal(result.images, undefined);
  });

test("vision_analyze and video_analyze read no file that the guard of reads keeps, also not through a link", async (t) => {
  const { project, run, root } = bench(t);
  writeFileSync(join(root, "home", ".env"), "KEY=1");
  symlinkSync(join(root, "home", ".env"), join(project, "cat.png"));
  const refused = await run(visionAnalyze, { image_url: "cat.png", question: "?" });
  assert.notEqual(errorOf(refused), "");
  assert.notEqual(errorOf(await run(videoAnalyze, { video_url: "cat.png", question: "?" })), "");
  assert.match(errorOf(await run(visionAnalyze, { image_url: "dog.png", question: "?" })), /File not found/);
  assert.match(errorOf(await run(visionAnalyze, { image_url: ".", question: "?" })), /is a directory/);
});

test("video_analyze is offered where ffmpeg is, whatever else is installed", (t) => {
  const { context } = bench(t);
  const there = (env: Readonly<Record<string, string>>) => videoAnalyze.available?.({ env, config: context.config });
  assert.equal(there({ PATH: "/nowhere" }), "ffmpeg is not installed");
  assert.equal(there({}), "ffmpeg is not installed");
});
