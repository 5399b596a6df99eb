import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../base/log/log.js";
import type { CommandSource, RuntimeCommand } from "../commands/define.js";
import { COMMANDS } from "../commands/index.gen.js";
import { completeSlash } from "../commands/slash/complete.js";
import { listRuntimeCommands } from "../commands/slash/runtime-commands.js";
import type { SlashCall } from "../contracts/chat/slash.js";
import { offeredCommands } from "../gateway/commands/offered-commands.js";
import { runSlash, type SlashServices } from "./run-slash.js";

type Kind = RuntimeCommand["source"]["kind"];
const QUICK = {
  disk: { type: "exec", command: "df -h ." },
  n: { type: "alias", target: "plan new" },
  status: { type: "exec", command: "echo mine" },
  my_job: { type: "exec", command: "make it" },
  broken: { type: "exec" },
};
const command = (name: string, kind: Kind, description = "does it"): RuntimeCommand => ({
  name,
  description,
  argsHint: "<what>",
  source: { kind, name: "timers" },
  run: async (args, ctx) => ({ text: `${kind}:${name}:${args}:${ctx.session ?? "none"}`, data: { args } }),
});

function setup(...commands: readonly RuntimeCommand[]) {
  const runtime: CommandSource = { commands: () => commands };
  const services = {
    config: { raw: (key: string) => (key === "quick_commands" ? QUICK : undefined) },
    shell: { run: async (line: string) => ({ text: `ran ${line}`, problem: undefined }) },
    log: silentLog,
    runtime,
  } as unknown as SlashServices; // none of these commands uses more
  const say = (text: string, more: Partial<SlashCall> = {}) => runSlash({ text, ...more }, services, COMMANDS);
  const listed = () => listRuntimeCommands(services, COMMANDS);
  return { say, listed };
}

const CHAT = { platform: "msgt", chat_id: "5", user_id: "u1" } as const;

test("a built-in command stands before a quick command, that before a plugin, a bundle and a skill of the same name", async () => {
  const kinds = ["skill", "bundle", "plugin"] as const;
  const { say } = setup(...kinds.map((kind) => command("plan", kind)), ...kinds.map((kind) => command("disk", kind)));
  assert.equal((await say("/plan a  trip")).text, "plugin:plan:a  trip:none");
  assert.equal((await say("/disk")).text, "ran df -h .");
  assert.equal((await setup(command("version", "plugin")).say("/version --help")).text.includes("plugin:"), false);
  const two = setup(command("plan", "skill"), command("plan", "bundle"));
  assert.equal((await two.say("/plan x")).text, "bundle:plan:x:none");
});

test("a command of a plugin answers with data, knows its conversation, and an alias leads to it", async () => {
  const { say } = setup(command("plan", "plugin"));
  const session = "s1" as NonNullable<SlashCall["session"]>;
  assert.deepEqual((await say("/plan it", { session })).data, { args: "it" });
  assert.equal((await say("/n year")).text, "plugin:plan:new year:none");
});

test("a beginning of three letters is enough, two that begin so are ambiguous, and built-in ones win", async () => {
  const { say } = setup(command("planner", "plugin"), command("plants", "skill"), command("statusline", "plugin"));
  assert.equal((await say("/plann x")).text, "plugin:planner:x:none");
  assert.match((await say("/plan x")).text, /^Ambiguous command: planner, plants/);
  assert.doesNotMatch((await say("/stat --help")).text, /plugin:/);
  assert.match((await say("/planer")).text, /^Unknown command \/planer, did you mean \/planner\?/);
});

test("help lists every command at run time with its source, and explains one", async () => {
  const { say } = setup(command("plan", "plugin", "Plan a day."));
  for (const line of ["/help", "/commands", "/"]) {
    const { text } = await say(line);
    assert.match(text, /plan +Plan a day\. \(plugin timers\)/, line);
    assert.match(text, /disk +Quick command/, line);
    assert.match(text, /\bn +Alias for \/plan new/, line);
    assert.doesNotMatch(text, /echo mine/, line);
  }
  assert.equal((await say("/help plan")).text, "Plan a day.\n/plan <what>\nFrom the plugin timers.");
  assert.equal((await say("/plan --help")).text, "Plan a day.\n/plan <what>\nFrom the plugin timers.");
  assert.match((await say("/help disk")).text, /^Quick command\n\/disk\nSetting quick_commands\.disk\.$/);
  assert.match((await say("/broken")).text, /quick_commands\.broken must be/);
});

test("completion, the palette and menus of bots offer them; built-in names are not offered twice", () => {
  const { listed } = setup(command("plan", "plugin", "Plan a day."), command("new", "plugin"));
  const rows = listed();
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["disk", "n", "my_job", "broken", "plan"],
  );
  const entries = COMMANDS.filter((entry) => entry.surfaces.includes("slash"));
  const [offered] = completeSlash("/pla", 4, entries, rows);
  assert.deepEqual([offered?.text, offered?.detail, offered?.from], ["plan", "Plan a day. (plugin timers)", 1]);
  const menu = offeredCommands(COMMANDS, rows).filter(({ name }) => name === "plan" || name === "disk");
  assert.deepEqual(menu.map(({ description }) => description).toSorted(), ["Plan a day.", "Quick command"]);
});

test("in a chat underscores and the name of the bot do not matter, and members run what their list names", async () => {
  const { say } = setup(command("plan_day", "plugin"));
  assert.equal((await say("/plan_day@bot —fast", { origin: CHAT })).text, "plugin:plan_day:--fast:none");
  assert.equal((await say("/my_job", { origin: CHAT })).text, "ran make it");
  const member = { tier: "member", group: true, allows: ["plan-day"] } as const;
  assert.equal((await say("/plan-day", { origin: CHAT, member })).text, "plugin:plan_day::none");
  assert.match((await say("/my-job", { origin: CHAT, member })).text, /you may not use \/my_job here/);
});
