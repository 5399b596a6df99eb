import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startGitServer } from "../../../fixtures/servers/git.js";
import { commit, git, repositoryAt } from "../../../fixtures/worlds/repository.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import { programOnPath } from "../../base/process/program-path.js";
import terminal from "./terminal.js";

const skip = programOnPath("bwrap", process.env["PATH"]) === undefined ? "bubblewrap is not installed" : false;
const LOGIN = { user: "ada", password: "decoy-password" };

test("the terminal tool adds a remote, pushes with the person's password, and goes on in the cage", {
  skip,
}, async (t) => {
  const { root, project, json } = bench(t, { cages: true });
  repositoryAt(project);
  const user = join(root, "user");
  mkdirSync(user, { recursive: true });
  const remotes = join(root, "remotes");
  git(project, "clone", "-q", "--bare", project, join(remotes, "shared.git"));
  git(join(remotes, "shared.git"), "config", "http.receivepack", "true");
  const server = await startGitServer(t, remotes, LOGIN);
  const { host } = new URL(server.url);
  writeFileSync(join(user, ".git-credentials"), `http://${LOGIN.user}:${LOGIN.password}@${host}\n`, { mode: 0o600 });
  writeFileSync(join(user, ".gitconfig"), "[credential]\n\thelper = store\n");
  const run = (command: string) => json(terminal, { command });
  assert.equal((await run("cat ~/.git-credentials"))["output"], "");
  commit(project, "b.txt", "b\n");
  const pushed = await run(`git remote add origin ${server.url}/shared.git && git push -u origin main 2>&1 | tail -3`);
  assert.deepEqual(
    [pushed["exit_code"], /set up to track 'origin\/main'/.test(String(pushed["output"]))],
    [0, true],
    JSON.stringify(pushed),
  );
  assert.equal(git(join(remotes, "shared.git"), "rev-parse", "main"), git(project, "rev-parse", "main"));
  const mixed = await run("git fetch origin && false");
  assert.match(String(mixed["hint"]), /nothing but git calls/);
  const after = await run("git status -sb | head -1; echo x >> .git/config");
  assert.match(String(after["output"]), /main\.\.\.origin\/main[\s\S]*Read-only/);
  assert.doesNotMatch(readFileSync(join(project, ".git", "config"), "utf8"), /^x$/m);
});
