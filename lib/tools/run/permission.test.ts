import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { answerHeadless, decideCall } from "../../safety/approve/approve.js";
import { loadRules, ruleFiles } from "../../safety/rules/rules.js";
import { defineTool } from "../core/define.js";
import { hostOf } from "../core/effects.js";
import readFile from "../file/read-file.js";
import searchFiles from "../file/search-files.js";
import { createGuardrails } from "./guardrails.js";
import { runCalls } from "./pipeline.js";

/** A tool that reads addresses, as one that reads pages does. */
const reader = defineTool({
  name: "page_reader",
  toolset: "web",
  description: "Reads pages.",
  params: z.object({ urls: z.array(z.string()) }),
  risk: "read",
  effects: ({ urls }) => ({ reads: ["net", ...urls.flatMap(hostOf)], writes: [] }),
  limits: { ms: 1_000, chars: 1_000 },
  preview: ({ urls }) => urls.join(" "),
  run: async () => ({ text: "read" }),
});

/** A project in which the rule `deny: read:private/**` holds; `call` gives the status and what the model reads. */
async function setup(t: TestContext, denied = "read:private/**") {
  const { context, project, root } = bench(t);
  for (const dir of ["private", "open"]) mkdirSync(join(project, dir));
  writeFileSync(join(project, "private/plan.txt"), "needle in private\n");
  writeFileSync(join(project, "open/note.txt"), "needle in open\n");
  symlinkSync(join(project, "private"), join(project, "way"));
  const rules = await loadRules(ruleFiles(context.home.dir, project), [], [denied]);
  const paths = { home: context.home, userHome: join(root, "user"), project, env: context.env };
  const scope = { paths, rules, yolo: false, mode: "manual", edits: "allow", allowlist: [] };
  const permit: typeof context.permit = async (permission) => answerHeadless(decideCall(permission, scope));
  const tools = new Map([readFile, searchFiles, reader].map((one) => [one.name, one]));
  const silent = { exact: 99, sameTool: 99, noProgress: 99 };
  const deps = {
    tools,
    context: (callId: string, signal: AbortSignal) => ({ ...context, callId, signal, permit }),
    signal: context.signal,
    guard: createGuardrails({ warnings: false, hardStop: false, warnAfter: silent, stopAfter: silent }),
    clock: context.ports.clock,
    resultDir: join(context.home.cache, "results"),
  };
  return async (name: string, args: object) => {
    const calls = [{ id: "c", name, arguments: JSON.stringify(args) }];
    const [outcome] = await runCalls(
      calls,
      deps,
      async () => undefined,
      async () => undefined,
    );
    return { status: outcome?.status, content: outcome?.content ?? "" };
  };
}

for (const path of [
  "private/plan.txt",
  "./private/plan.txt",
  "open/../private/plan.txt",
  "~/../project/private/plan.txt",
  "way/plan.txt",
]) {
  test(`a rule against reading a directory holds for ${path}, however it is spelled`, async (t) => {
    const call = await setup(t);
    const { status, content } = await call("read_file", { path });
    assert.equal(status, "denied");
    assert.match(content, /read:private/);
    assert.equal((await call("read_file", { path: "open/note.txt" })).status, "ok");
  });
}

for (const args of [
  { pattern: "needle" },
  { pattern: "*.txt", target: "files" },
  { pattern: "needle", output_mode: "count" },
]) {
  test(`a search above a directory that must not be read leaves it out: ${JSON.stringify(args)}`, async (t) => {
    const call = await setup(t);
    const { status, content } = await call("search_files", args);
    assert.equal(status, "ok");
    assert.match(content, /open\/note\.txt/);
    assert.doesNotMatch(content, /plan\.txt|in private/);
    for (const path of ["private", "way", "private/plan.txt"])
      assert.doesNotMatch((await call("search_files", { ...args, path })).content, /plan\.txt:|in private|"files":\["/);
  });
}

for (const url of [
  "https://wiki.internal.example/page",
  "https://WIKI.Internal.example./page",
  "https://user:word@wiki.internal.example:8443/",
]) {
  test(`a rule that denies a host holds for ${url}`, async (t) => {
    const call = await setup(t, "fetch:*.internal.example");
    const { status, content } = await call("page_reader", { urls: ["https://fine.example/", url] });
    assert.equal(status, "denied");
    assert.match(content, /fetch:\*\.internal\.example/);
    assert.equal((await call("page_reader", { urls: ["https://fine.example/"] })).status, "ok");
  });
}
