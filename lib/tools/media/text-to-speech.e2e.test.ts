import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";

const call = (args: Record<string, unknown>) => ({ tool_calls: [{ name: "text_to_speech", arguments: args }] });
const CONFIG = `tts:
  provider: espeak
  providers:
    espeak:
      type: command
      command: espeak-ng -v {voice} -w {output_path} -f {text_path}
      output_format: wav
      voice: en
`;

/** Codec and seconds of an audio file. */
function probe(path: string): readonly [codec: string, seconds: number] {
  const args = ["-v", "error", "-show_entries", "stream=codec_name:format=duration", "-of", "csv=p=0", path];
  const [codec = "", seconds = ""] = execFileSync("ffprobe", args, { encoding: "utf8" }).split("\n");
  return [codec, Number(seconds)];
}

test("the model speaks with a real voice: a WAV of the cache, an Opus file of its own place, a voice message in a chat", async (t) => {
  const owner = await chatOwner(t, {
    script: [
      call({ text: "The build is green. Have a nice day." }),
      call({ text: "The build is green.", output_path: "out/green.ogg" }),
      call({ text: "Up.", output_path: "../up.ogg" }),
      call({ text: "Elsewhere.", output_path: "/var/elsewhere.ogg" }),
      { text: "done" },
      call({ text: "A voice message." }),
      { text: "done" },
    ],
    config: CONFIG,
  });
  const { session_id } = await owner.ask("speak", { yolo: true });
  const [wav, ogg, up, elsewhere] = (await owner.results(session_id)) as Record<string, unknown>[];
  assert.equal(wav?.["success"], true, JSON.stringify(wav));
  const file = String(wav?.["file_path"]);
  assert.ok(file.startsWith(join(owner.home.cache, "audio", "speech_")) && file.endsWith(".wav"));
  const [codec, seconds] = probe(file);
  assert.ok(codec.startsWith("pcm") && seconds > 1, `${codec} ${seconds}`);
  assert.deepEqual([ogg?.["file_path"], ogg?.["voice_compatible"]], [join(owner.work, "out/green.ogg"), true]);
  assert.equal(probe(join(owner.work, "out/green.ogg"))[0], "opus");
  assert.match(String(up?.["error"]), /must not contain \.\./);
  assert.ok(elsewhere?.["success"] !== true && !existsSync("/var/elsewhere.ogg"));
  const chat = await owner.ask("speak", { yolo: true, origin: { platform: "msgt", chat_id: "7" } });
  const [voice] = (await owner.results(chat.session_id)) as Record<string, unknown>[];
  assert.equal(voice?.["voice_compatible"], true);
  assert.equal(voice?.["media_tag"], `MEDIA:${String(voice?.["file_path"])}`);
});
