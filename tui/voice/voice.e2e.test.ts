import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { type World, world } from "../../fixtures/e2e/world.js";
import { HEARING_KEY, startHearing } from "../../fixtures/servers/media/hearing.js";
import { programOnPath } from "../../lib/base/process/program-path.js";

const missing = ["espeak-ng", "sox"].filter((name) => programOnPath(name, process.env["PATH"]) === undefined);
const skip = noTmux() ?? (missing.length > 0 ? `${missing.join(", ")} not installed` : false);

/** A microphone that says something, and a loudspeaker that notes what it plays and plays until it is stopped. */
function soundPrograms({ work }: World): { readonly path: string; readonly played: string; readonly ended: string } {
  const bin = join(work, "bin");
  mkdirSync(bin);
  const said = join(work, "said.wav");
  const played = join(work, "played");
  const ended = join(work, "ended");
  execFileSync("espeak-ng", ["-w", said, "write the report"]);
  const raw = "-t raw -r 16000 -c 1 -b 16 -e signed-integer";
  // Four seconds of silence follow the words: the recording ends by itself.
  const microphone = `exec sox -q ${JSON.stringify(said)} ${raw} - pad 0 4\n`;
  const speaker = `for last; do :; done\ntrap 'echo gone > ${ended}; exit 0' TERM\necho "$last" > ${played}.part; mv ${played}.part ${played}\nwhile :; do sleep 0.05; done\n`;
  for (const [name, script] of [
    ["arecord", microphone],
    ["ffplay", speaker],
  ] as const) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}`);
    chmodSync(join(bin, name), 0o755);
  }
  return { path: `${bin}:${process.env["PATH"] ?? ""}`, played, ended };
}

test("a spoken message is recorded, transcribed and sent; the answer is spoken until Esc", { skip }, async (t) => {
  const hearing = await startHearing(t, "write the report");
  const made = await world(t, {
    model: { script: { replies: [{ text: "The **report** is written." }] } },
    name: "any",
    config: `stt:
  provider: openai
  openai:
    base_url: ${hearing.url}
tts:
  provider: espeak
  providers:
    espeak: { type: command, command: "espeak-ng -w {output_path} -f {text_path}", output_format: wav }
`,
  });
  const { path, played, ended } = soundPrograms(made);
  const env = {
    ...made.env,
    PATH: path,
    OPENAI_API_KEY: HEARING_KEY,
    TERM: "xterm-256color",
    NODE: process.execPath,
    AGENT: made.program,
  };
  const terminal = await openTerminal(t, env, made.work);
  await terminal.type('clear; "$NODE" "$AGENT"');
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("›"));
  await terminal.type("/voice tts");
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("answers are spoken") && screen.includes("│ voice tts │"));
  await terminal.press("C-b");
  await terminal.until((screen) => screen.includes("› write the report"));
  assert.equal(made.model.chats().length, 0, "it is read before it is sent");
  const sent = hearing.requests[0]?.bytes.toString("latin1") ?? "";
  assert.ok(sent.includes('filename="recording.wav"') && sent.includes("RIFF"));
  await terminal.press("Enter");
  await terminal.until((screen) => screen.includes("The report is written."));
  await eventually(() => existsSync(played));
  await terminal.until((screen) => screen.includes("│ speaking"));
  const file = readFileSync(played, "utf8").trim();
  assert.ok(file.startsWith(join(made.home.cache, "audio")) && readFileSync(file).subarray(0, 4).toString() === "RIFF");
  await terminal.press("Escape");
  await eventually(() => existsSync(ended));
  await terminal.until((screen) => !screen.includes("│ speaking"));
  assert.equal(made.model.chats().length, 1, "it is sent once");
});
