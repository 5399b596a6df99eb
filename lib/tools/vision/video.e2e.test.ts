import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { decodedFacts } from "../../../fixtures/sim/made-pictures.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import type { ResultImage, ToolResult } from "../core/define.js";
import videoAnalyze from "./video-analyze.js";

/** Three colours one after the other, ten seconds each, without sound. */
function threeColours(path: string): void {
  const colour = (name: string) => ["-f", "lavfi", "-i", `color=${name}:s=320x180:r=5:d=10`];
  const inputs = ["red", "lime", "blue"].flatMap(colour);
  const joined = ["-filter_complex", "[0:v][1:v][2:v]concat=n=3:v=1"];
  execFileSync("ffmpeg", ["-loglevel", "error", ...inputs, ...joined, "-pix_fmt", "yuv420p", path]);
}

const bytesOf = (image: ResultImage | undefined): Buffer =>
  image !== undefined && "data" in image ? Buffer.from(image.data, "base64") : assert.fail("no bytes");

const errorOf = ({ text, status }: ToolResult): string => (status === "error" ? String(JSON.parse(text).error) : "");

test("a video is twelve frames on three pictures, evenly spread, each with its question and times", async (t) => {
  const { project, run } = bench(t);
  threeColours(join(project, "clip.mp4"));
  const { text, images = [] } = await run(videoAnalyze, { video_url: "clip.mp4", question: "Which colours?" });
  const told = JSON.parse(text);
  assert.equal(told.duration_seconds, 30);
  assert.deepEqual(told.pictures[0], { frames_at_seconds: [1.25, 3.75, 6.25, 8.75] });
  const seen = await Promise.all(images.map(async (image) => await decodedFacts(bytesOf(image))));
  assert.deepEqual(
    seen.map(({ width, height }) => [width, height]),
    [1, 2, 3].map(() => [640, 360]),
  );
  // The strongest channel of each picture's first frame.
  assert.deepEqual(
    seen.map(({ colour }) => colour.indexOf(Math.max(...colour))),
    [0, 1, 2],
  );
  assert.match(
    images[2]?.question ?? "",
    /^These are frames of a video at 21\.25, 23\.75, .* seconds.* Which colours\?$/,
  );
});

test("a short video is one picture, and a video from the web leaves no file behind", async (t) => {
  const { project, run, context } = bench(t);
  const path = join(project, "short.webm");
  execFileSync("ffmpeg", ["-loglevel", "error", "-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=1", path]);
  const body = readFileSync(path);
  async function* pieces() {
    yield body;
  }
  const url = "https://videos.example/short.webm";
  const answer = { url, status: 200, headers: {}, body: pieces(), text: async () => "", cancel: () => undefined };
  const net = { ...context.ports.net, fetch: async () => answer };
  const given = { video_url: url, question: "What?" };
  const { text, images = [] } = await run(videoAnalyze, given, { ports: { ...context.ports, net } });
  assert.match(text, /^<untrusted_tool_result source="video_analyze">/);
  assert.equal(images.length, 1);
  assert.equal(images[0]?.name, "short.webm frames 1");
});

test("a playlist that names other files is not opened as a video, whatever it is called", async (t) => {
  const { project, run } = bench(t);
  threeColours(join(project, "secret.mp4"));
  const lists = {
    "list.mp4": "#EXTM3U\n#EXT-X-TARGETDURATION:30\n#EXTINF:30,\nsecret.mp4\n#EXT-X-ENDLIST\n",
    "joined.mp4": "ffconcat version 1.0\nfile secret.mp4\n",
    "text.mp4": "no video",
  };
  for (const [name, content] of Object.entries(lists)) {
    writeFileSync(join(project, name), content);
    assert.match(
      errorOf(await run(videoAnalyze, { video_url: name, question: "?" })),
      /is not a video that ffmpeg reads/,
    );
  }
});
