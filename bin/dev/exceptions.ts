interface Exception {
  /** Paths; `*` stands for one folder. */
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
      "lib/plugins/find/manifest.ts",
      "lib/profiles/yaml.ts",
      "lib/safety/rules/rules.ts",
      "lib/safety/rules/file.ts",
      "lib/safety/rules/text.ts",
      "lib/skills/catalog/facts.ts",
      "lib/tools/file/lint.ts",
    ],
    rule: "lazy",
    why: "yaml costs 35 ms; most homes have neither config.yaml nor permissions.yaml",
  },
  {
    files: ["lib/tools/file/difference.ts", "lib/skills/writes/diff.ts", "adapters/lsp/lines.ts"],
    rule: "lazy",
    why: "diff is needed only when a change is shown",
  },
  {
    files: [
      "adapters/runtimes/index.ts",
      "lib/runtime/mcp.ts",
      "lib/runtime/skills.ts",
      "lib/runtime/memory.ts",
      "adapters/mcp/door.ts",
    ],
    rule: "lazy",
    why: "MCP servers are configured in few homes, and their protocol is needed by the first connection, not by the start",
  },
  {
    files: ["lib/worker/run-worker.ts"],
    rule: "lazy",
    why: "plugins are enabled in few homes; a worker without them loads nothing of it",
  },
  {
    files: [
      "lib/commands/slash/quick.ts",
      "lib/config/settings-service.ts",
      "lib/rpc/commands/command-services.ts",
      "lib/safety/cage/looks.ts",
    ],
    rule: "lazy",
    why: "the judge of commands is half of what a command without an owner would load; a list takes 15 % longer with it",
  },
  {
    files: ["lib/runtime/language-servers.ts"],
    rule: "lazy",
    why: "language servers are needed by the first write, not by the start",
  },
  {
    files: [
      "lib/web/extract/dom.ts",
      "lib/web/extract/html-page.ts",
      "lib/web/extract/markdown.ts",
      "lib/web/extract/pdf.ts",
    ],
    rule: "lazy",
    why: "each kind of document is read with a package of its own, of which the document thread loads the one that it needs",
  },
  {
    // The parts of the outside, one a line.
    files: [
      "lib/runtime/browser.ts",
      "lib/runtime/desktop.ts",
      "lib/runtime/web.ts", //
    ],
    rule: "lazy",
    why: "pages, the browser, media and the desktop are needed by few conversations, and by none at its start",
  },
  {
    files: ["adapters/desktop/external/client.ts", "lib/app/desktop/desktop-control.ts"],
    rule: "lazy",
    why: "drivers of the desktop and their protocol are needed by few processes, and by none at its start",
  },
  {
    files: ["lib/runtime/runtimes.ts"],
    rule: "lazy",
    why: "few conversations are worked by a program of another maker; the others load no door for it",
  },
  {
    files: ["lib/runtime/social.ts", "lib/runtime/speech.ts", "lib/runtime/tool-credentials.ts"],
    rule: "lazy",
    why: "most conversations search no posts and speak nothing; logins are there in few homes",
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
      "lib/app/stores/recover-sessions.ts",
      "lib/app/stores/watch-stores.ts",
      "lib/app/board/app-boards.ts",
      "lib/app/app.ts",
      "lib/app/owner-process.ts",
      "lib/rpc/screen/prompt-methods.ts",
      "lib/rpc/describe-protocol.ts",
      "lib/app/gateway-control/gateway-control.ts",
      "lib/app/run/run-command.ts",
      "lib/app/run/run-outside.ts",
      "lib/app/mcp/mcp-control.ts",
      "lib/app/acp/serve-acp.ts",
      "lib/app/mcp/serve-agent.ts",
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
    files: ["adapters/platforms/*/library.ts"],
    rule: "lazy",
    why: "libraries of platforms are optional packages, loaded by the first connect of their platform",
  },
  {
    files: ["lib/safety/net/net.ts", "lib/safety/net/relay.ts"],
    rule: "lazy",
    why: "undici costs 30 ms and 6 MB, only where a process stays",
  },
  {
    files: ["lib/contracts/board/platform-tag.ts"],
    rule: "platform",
    why: "the graph is no platform but a source of events, and is named here once",
  },
  {
    files: ["lib/base/fs/picture-scale.ts"],
    rule: "lazy",
    why: "sharp is an optional package with native code, loaded once a picture is too large",
  },
  {
    files: ["lib/runtime/media.ts", "lib/app/owner/media-upkeep.ts"],
    rule: "lazy",
    why: "few conversations make pictures or videos, and few homes have any that could be old",
  },
  {
    files: ["adapters/browser/engine/playwright.ts"],
    rule: "lazy",
    why: "playwright-core is an optional package, loaded by the first command of a browser tool",
  },
  { files: ["lib/base/fs/watch.ts"], rule: "lazy", why: "chokidar is loaded once there is a directory to watch" },
  {
    files: [
      "lib/app/meetings/meeting-host.ts",
      "lib/app/meetings/meetings-api.ts",
      "lib/app/meetings/meetings-checks.ts",
      "lib/app/meetings/meetings-work.ts",
    ],
    rule: "platform",
    why: "the work on meetings is composed here of the parts of the graph, and tells which of its settings is missing",
  },
  {
    files: ["adapters/platforms/msgraph/settings.ts"],
    rule: "platform",
    why: "summaries of meetings go to the team chat, so the graph is reached by the settings of that platform",
  },
  {
    files: ["lib/http/base-path.ts"],
    rule: "containment",
    why: "paths of addresses, not of files",
  },
  { files: ["tui/terminal/screen.ts"], rule: "lazy", why: "neo-blessed costs 33 ms, only on a terminal" },
  {
    files: ["lib/safety/net/modules.ts", "lib/base/process/spawn-system.ts", "storage/lock.ts"],
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
