import type { ComponentType } from "preact";
import { BoardView } from "./board/board-view.js";
import { LogsView } from "./logs/logs-view.js";
import { MemoryView } from "./memory/memory-view.js";
import { SessionsView } from "./sessions/sessions-view.js";
import { SettingsView } from "./settings/settings-view.js";
import { SkillsView } from "./skills/skills-view.js";
import { StatusView } from "./status/status-view.js";

/** A view of the page: the first word of its address, its name in the navigation, and what it shows. */
export interface View {
  readonly id: string;
  readonly title: string;
  readonly component: ComponentType;
}

/** The views in the order of the navigation. A new one is a row here and a component in a folder of its own. */
export const VIEWS: readonly View[] = [
  { id: "board", title: "Board", component: BoardView },
  { id: "sessions", title: "Sessions", component: SessionsView },
  { id: "skills", title: "Skills", component: SkillsView },
  { id: "memory", title: "Memory", component: MemoryView },
  { id: "logs", title: "Logs", component: LogsView },
  { id: "status", title: "Status", component: StatusView },
  { id: "settings", title: "Settings", component: SettingsView },
];
