import type { Method, Methods } from "../backplane/methods.js";
import type { CommandEntry } from "../commands/entry.js";
import { logRedactor } from "../runtime/known-secrets.js";
import { boardMethods } from "./board/board-methods.js";
import { underWayMethods } from "./board/under-way-methods.js";
import { workerMethodsOf } from "./board/worker-methods.js";
import { commandMethods } from "./commands/command-methods.js";
import { services } from "./commands/command-services.js";
import type { OwnerServices } from "./commands/owner-services.js";
import { slashMethods } from "./commands/slash-methods.js";
import { completeMethods } from "./complete/complete-methods.js";
import { chatConversationMethods } from "./conversation-methods.js";
import { gatewayMethods } from "./gateway-methods.js";
import { serveLogs } from "./logs/follow-logs.js";
import type { LogSources } from "./logs/log-files.js";
import { logMethods } from "./logs/log-methods.js";
import type { RunFactSources } from "./runs/run-facts.js";
import { runMethods } from "./runs/run-methods.js";
import { displayMethods, screenKeyMethods } from "./screen/display-methods.js";
import { inputFileMethods } from "./screen/input-file-methods.js";
import { modelMethods } from "./screen/model-methods.js";
import { paletteMethods } from "./screen/palette-methods.js";
import { promptMethods } from "./screen/prompt-methods.js";
import { screenStartMethods } from "./screen/screen-start.js";
import { voiceMethods } from "./screen/voice-methods.js";
import { checkpointMethods } from "./sessions/checkpoint-methods.js";
import { childMethods } from "./sessions/child-methods.js";
import { compactMethods } from "./sessions/compact-methods.js";
import { editorMethods } from "./sessions/editor-methods.js";
import { goalMethods } from "./sessions/goal-methods.js";
import { permissionMethods } from "./sessions/permission-methods.js";
import { processMethods } from "./sessions/process-methods.js";
import { questionMethods } from "./sessions/question-methods.js";
import { sessionMethods } from "./sessions/session-methods.js";
import { sessionOverviewMethods } from "./sessions/session-overview.js";
import { sessionPageMethods } from "./sessions/session-page-methods.js";
import { statusMethods } from "./sessions/status-methods.js";
import { storedSessionMethods } from "./sessions/stored-session-methods.js";
import { turnMethods } from "./sessions/turn-methods.js";

/** Everything that clients can call, and the topics that are made while someone follows them. */
export function ownerMethods(app: OwnerServices, entries: readonly CommandEntry[]): Methods {
  serveLogs(app.bus, logPartiesOf(app), app.options.clock);
  app.runs.serve(app.bus, runPartiesOf(app));
  return listMethods(app, entries);
}

/** Everything that clients can call: commands, conversations, and what workers need. */
export function listMethods(app: OwnerServices, entries: readonly CommandEntry[]): Methods {
  const all: readonly Methods[] = [
    commandMethods(entries, services(app)),
    boardMethods(app.board, () => app.options.clock.now()),
    sessionMethods(app.chat),
    sessionPageMethods(app.chat, {
      tools: app.tools,
      redact: logRedactor(app.options.config, app.options.home),
    }),
    storedSessionMethods(app.chat),
    statusMethods(app.chat, app.options.config),
    sessionOverviewMethods(app),
    childMethods(app.chat),
    processMethods(app.chat),
    questionMethods(app.chat),
    editorMethods(app.chat, app.editors, app.broughtServers),
    permissionMethods(app.chat),
    turnMethods(app.chat),
    underWayMethods(app.owner),
    screenKeyMethods(app.settings),
    paletteMethods(app),
    screenStartMethods(app),
    modelMethods(app),
    goalMethods(app.chat),
    gatewayMethods(app.gateway),
    chatConversationMethods(app.chat, app.gateway),
    compactMethods(app.chat),
    workerMethodsOf(app),
    slashMethods(entries, services(app)),
    completeMethods(entries, app),
    checkpointMethods(app.checkpoints),
    logMethods(logPartiesOf(app)),
    runMethods(runPartiesOf(app)),
    promptMethods(app),
    inputFileMethods(app),
    voiceMethods(app),
    displayMethods(app.options.config, app.options.home.dir),
  ];
  const methods = new Map<string, Method>();
  for (const some of all) for (const [name, method] of some) methods.set(name, method);
  return methods;
}

/** Where the logs are that clients read and follow. */
export const logPartiesOf = ({ options, board, boards, chat }: OwnerServices): LogSources => ({
  logs: options.home.logs,
  lines: options.lines,
  board: { places: async (slug) => (await boards()).board.places(slug), runs: (slug, task) => board.runs(slug, task) },
  processLog: (session, id) => chat.processLog(session, id),
  rest: () => options.clock.sleep(0),
});

const runPartiesOf = ({ options, board, boards, chat, runs }: OwnerServices): RunFactSources => ({
  chat,
  tasks: board,
  now: () => options.clock.now(),
  activityOf: runs.activityOf,
  board: {
    slugs: async () => (await boards()).board.slugs(),
    recentRuns: (slug, since) => board.recentRuns(slug, since),
  },
});
