interface Exception {
  readonly files: readonly string[];
  /** Rule as the check prints it. */
  readonly rule: string;
  readonly why: string;
}

/** What may break a rule, and why. An entry that nothing needs any more fails the check as well. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    files: [
      "lib/cli/decide-process.ts",
      "lib/cli/execute-command.ts",
      "lib/cli/command-help.ts",
      "lib/cli/run-slash.ts",
    ],
    rule: "lazy",
    why: "yargs costs 60 ms and is needed only to parse words that are not plain and to print help; a prompt is rarely a slash command",
  },
  {
    files: [
      "lib/config/read-settings.ts",
      "lib/config/masked-text.ts",
      "lib/config/edit-settings.ts",
      "lib/rpc/screen/user-themes.ts",
      "lib/profiles/yaml.ts",
      "lib/safety/rules/rules.ts",
      "lib/safety/rules/file.ts",
      "lib/safety/rules/text.ts",
      "lib/tools/file/lint.ts",
    ],
    rule: "lazy",
    why: "yaml costs 35 ms; most homes have neither config.yaml nor permissions.yaml",
  },
  {
    files: ["lib/tools/file/difference.ts", "adapters/lsp/lines.ts"],
    rule: "lazy",
    why: "diff is needed only when a change is shown",
  },
  {
    files: ["lib/runtime/language-servers.ts"],
    rule: "lazy",
    why: "language servers are needed by the first write, not by the start",
  },
  {
    files: ["storage/sqljs/library.ts"],
    rule: "lazy",
    why: "sql.js compiles WebAssembly; loaded with the first board",
  },
  {
    files: [
      "lib/runtime/aux-models.ts",
      "lib/app/build-dashboard.ts",
      "lib/app/gateway/open-gateway.ts",
      "lib/app/gateway/gateway-host.ts",
      "lib/app/chat/other-profiles.ts",
      "lib/app/stores/stores.ts",
      "lib/app/app.ts",
      "lib/app/owner-process.ts",
      "lib/rpc/screen/prompt-methods.ts",
      "lib/rpc/describe-protocol.ts",
      "lib/app/gateway-control/gateway-control.ts",
      "lib/app/run/run-command.ts",
      "lib/app/run/run-outside.ts",
      "lib/app/owner-listeners.ts",
      "lib/worker/worker-children.ts",
    ],
    rule: "lazy",
    why: "a command loads only the engines, domains and listeners that it uses; half of its time is loading",
  },
  {
    files: ["lib/dashboard/page/plugins/plugin-view.tsx"],
    rule: "lazy",
    why: "the code of a plugin is known once the plugin is found and enabled",
  },
  {
    files: ["lib/backplane/server.ts"],
    rule: "lazy",
    why: "ws costs 43 ms; only a long-lived owner listens for browsers",
  },
  {
    files: ["lib/backplane/below-tool.ts"],
    rule: "lazy",
    why: "few processes have the owner above them and ask it whether it started them for a person",
  },
  {
    files: [
      "adapters/platforms/msgd/library.ts",
      "adapters/platforms/msgf/library.ts",
      "adapters/platforms/msgg/library.ts",
      "adapters/platforms/msgl/library.ts",
      "adapters/platforms/msgt/library.ts",
      "adapters/platforms/msgw/library.ts",
    ],
    rule: "lazy",
    why: "libraries of platforms are optional packages, loaded by the first connect of their platform",
  },
  { files: ["tui/terminal/screen.ts"], rule: "lazy", why: "neo-blessed costs 33 ms, only on a terminal" },
  {
    files: [
      "lib/safety/net/modules.ts",
      "lib/base/process/spawn-system.ts",
      "lib/base/perf/shell-zygote-output.ts",
      "storage/lock.ts",
    ],
    rule: "lazy",
    why: "modules of Node that a short command never needs",
  },
  {
    files: [
      "lib/safety/redact/same-text.ts",
      "lib/base/text/hash.ts",
      "fixtures/hostile/compared.ts",
      "bin/dev/checks.test.ts",
    ],
    rule: "secret comparison",
    why: "the one comparison of secrets; that of lib/base, which imports nothing above it; and the tests of this rule",
  },
  {
    files: ["lib/help/help.ts"],
    rule: "node:fs/promises",
    why: "topics lie beside the program; no other layer reads them",
  },
  {
    files: ["lib/commands/program/completion.ts"],
    rule: "lazy",
    why: "the list of commands is there once the commands are",
  },
  {
    files: [
      "storage/events.ts",
      "storage/migrate.ts",
      "storage/store.ts",
      "storage/sqljs/base.ts",
      "storage/sqljs/digest.ts",
      "storage/sqljs/engine.ts",
      "storage/sqljs/health.ts",
      "storage/sqljs/recovery.ts",
      "storage/sqljs/setup.ts",
    ],
    rule: "sql place",
    why: "the bookkeeping that every store has for itself: version, sequence, events; no domain table",
  },
  {
    files: ["lib/board/worker-process/runner.e2e.test.ts"],
    rule: "wall clock",
    why: "the record of an ended worker holds the true time",
  },
];
