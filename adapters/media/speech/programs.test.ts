import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { audioWorld } from "../../../fixtures/sim/audio-world.js";
import { audioCommand, speechCommand } from "../command.js";
import { edgeSpeech } from "./edge.js";
import { piperSpeech } from "./piper.js";

const never = new AbortController().signal;

/** A world with a program of this name, a shell script. */
async function withProgram(t: TestContext, name: string, script: string, options: Record<string, unknown> = {}) {
  const around = await audioWorld(t, { options });
  const bin = join(around.scratch, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return { ...around, childEnv: { ...around.childEnv, PATH: `${bin}:${around.childEnv["PATH"]}` } };
}

test("edge speaks through the program edge-tts, which is given voice, rate and the text, dashes and all", async (t) => {
  const script = 'printf "%s|" "$@" > args; printf ID3 > "$7"; cat >> "$7"';
  const around = await withProgram(t, "edge-tts", script, { voice: "de-DE-KatjaNeural", speed: 1.25 });
  assert.equal(await edgeSpeech.lacks(around), undefined);
  const spoken = await edgeSpeech.speak("--help me", around, never);
  assert.equal(spoken.ok && Buffer.from(spoken.bytes).toString(), "ID3--help me");
  const args = readFileSync(join(around.scratch, "args"), "utf8");
  assert.match(args, /^--voice\|de-DE-KatjaNeural\|--rate=\+25%\|--file\|\/dev\/stdin\|--write-media\|/);
});

test("a program that fails, writes nothing or has no model is an error that says so", async (t) => {
  const failing = await withProgram(t, "piper", "echo no such voice >&2; exit 3", { model: "/v.onnx" });
  const failed = await piperSpeech.speak("Hello.", failing, never);
  assert.equal(failed.ok ? "" : failed.why, "piper failed (exit 3): no such voice");
  const quiet = await withProgram(t, "piper", "cat >/dev/null", { model: "/v.onnx" });
  const nothing = await piperSpeech.speak("Hello.", quiet, never);
  assert.match(nothing.ok ? "" : nothing.why, /ended without writing audio/);
  assert.match((await piperSpeech.lacks(await withProgram(t, "piper", "true"))) ?? "", /set tts\.piper\.model/);
});

test("a command of the settings speaks; what it is given is quoted for its place", async (t) => {
  const around = await audioWorld(t);
  const given = {
    command: `{ printf 'RIFF0000WAVE'; cat {text_path}; printf '%s' " $(echo "{voice}")" '{model}' {speed} {format}; } > {output_path}`,
    output_format: "wav",
    voice: 'a\'b "c" $(false)',
    model: "it's",
    max_text_length: 12,
  };
  const command = audioCommand("tts", "mine", given);
  assert.ok(typeof command === "object");
  const provider = speechCommand(command);
  assert.equal(provider.maxChars(around.settings), 12);
  const spoken = await provider.speak("Say; rm -rf /", around, never);
  assert.equal(spoken.ok && Buffer.from(spoken.bytes).toString(), `RIFF0000WAVESay; rm -rf / a'b "c" $(false)it's1wav`);
});

test("a command that is wrong, fails or takes too long says which one it is", async (t) => {
  const around = await audioWorld(t);
  assert.equal(audioCommand("tts", "x", { command: "" }), "tts.providers.x.command is missing");
  assert.equal(
    audioCommand("tts", "x", { command: "true", timeout: 0 }),
    "tts.providers.x.timeout must be seconds, at most 3600",
  );
  assert.equal(audioCommand("tts", "x", { type: "http", command: "true" }), "tts.providers.x.type must be command");
  const run = async (more: Record<string, unknown>) => {
    const command = audioCommand("tts", "x", more);
    assert.ok(typeof command === "object");
    const spoken = await speechCommand(command).speak("Hello.", around, never);
    return spoken.ok ? "" : `${spoken.type}: ${spoken.why}`;
  };
  assert.match(await run({ command: "echo broken >&2; exit 4" }), /the command of x failed \(exit 4\): broken/);
  assert.match(await run({ command: "echo `cat {text_path}`" }), /configuration: the command of x: placeholders/);
  assert.match(
    await run({ command: "exec sleep 60", timeout: 0.05 }),
    /timeout: the command of x did not end within 0.05 s/,
  );
});

test("an interrupted command is ended with everything that it started", async (t) => {
  const around = await audioWorld(t);
  const control = new AbortController();
  const command = audioCommand("tts", "x", { command: "sleep 60 & wait" });
  assert.ok(typeof command === "object");
  const speaking = speechCommand(command).speak("Hello.", around, control.signal);
  control.abort(new Error("interrupted"));
  await assert.rejects(speaking, /interrupted/);
});
