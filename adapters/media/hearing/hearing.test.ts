import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { HEARING_KEY, startHearing } from "../../../fixtures/servers/media/hearing.js";
import { audioWorld } from "../../../fixtures/sim/audio-world.js";
import { NetError } from "../../../lib/base/net/net.js";
import type { HeardText } from "../../../lib/contracts/media/hearing.js";
import { waveFile } from "../speech/wave.js";
import { HEARING_PROVIDERS } from "./index.js";
import { localHearing } from "./local.js";

const never = new AbortController().signal;
const why = (heard: HeardText): string => (heard.ok ? `heard ${heard.text}` : `${heard.type}: ${heard.why}`);

for (const [name, variable, model] of [
  ["openai", "OPENAI_API_KEY", "whisper-1"],
  ["groq", "GROQ_API_KEY", "whisper-large-v3-turbo"],
  ["mistral", "MISTRAL_API_KEY", "voxtral-mini-latest"],
] as const) {
  test(`${name} transcribes a recording over the public wire; each failure says what to do`, async (t) => {
    const server = await startHearing(t);
    const provider = HEARING_PROVIDERS.find((one) => one.name === name);
    assert.ok(provider !== undefined);
    const around = await audioWorld(t, { options: { base_url: server.url }, env: { [variable]: HEARING_KEY } });
    const path = join(around.scratch, "said.wav");
    writeFileSync(path, waveFile(Buffer.alloc(320), 16_000));
    assert.equal(why(await provider.hear(path, around, never)), "heard hello world");
    const sent = server.requests[0]?.bytes.toString("latin1") ?? "";
    assert.ok(sent.includes(`name="model"\r\n\r\n${model}\r\n`) && sent.includes('filename="recording.wav"'));
    assert.ok(sent.includes("RIFF"));

    assert.match(provider.lacks({ ...around, env: {} }) ?? "", /no API key: set [A-Z_]+_API_KEY in \.env/);
    const wrong = await provider.hear(path, { ...around, env: { [variable]: "wrong" } }, never);
    assert.match(why(wrong), /^auth_required: invalid_api_key: Incorrect.*; check [A-Z_]+_API_KEY$/);
    server.next(
      { status: 429, headers: { "retry-after": "30" }, body: { error: { message: "slow down" } } },
      { body: "<html>" },
    );
    assert.match(why(await provider.hear(path, around, never)), /^api_error: slow down; the limit ends at \d{4}-/);
    assert.match(why(await provider.hear(path, around, never)), /answered without a text/);
    const net = { ...around.net, fetch: () => Promise.reject(new NetError("timeout", "gone")) };
    assert.equal(why(await provider.hear(path, { ...around, net }, never)), "timeout: no answer within 300 s");

    const before = server.requests.length;
    writeFileSync(path, Buffer.alloc((25 << 20) + 1));
    assert.match(why(await provider.hear(path, around, never)), /^too_large: .* at most 25 MiB/);
    assert.equal(server.requests.length, before, "nothing was sent");
  });
}

test("a program of this machine transcribes, and without one nothing is started", async (t) => {
  const around = await audioWorld(t, { path: "/nonexistent" });
  assert.match(localHearing.lacks(around) ?? "", /no program that transcribes is installed/);
  const bin = join(around.scratch, "bin");
  mkdirSync(bin);
  const script = '#!/bin/sh\nfor last; do :; done\n[ -r "$last" ] && echo " from whisper " > "$6/said.txt"\n';
  writeFileSync(join(bin, "whisper"), script);
  chmodSync(join(bin, "whisper"), 0o755);
  const path = join(around.scratch, "said.ogg");
  writeFileSync(path, "OggS");
  const there = { ...around, childEnv: { PATH: `${bin}:/usr/bin:/bin` } };
  assert.equal(localHearing.lacks(there), undefined);
  assert.equal(why(await localHearing.hear(path, there, never)), "heard from whisper");
});
