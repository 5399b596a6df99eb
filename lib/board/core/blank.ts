import type { SettingsRow } from "../../../storage/tables/board/settings.js";

/** Settings of a board that has stored none. */
export const defaultBoardSettings = (slug: string): SettingsRow => ({
  name: slug.replace(
    /(^|[-_])([a-z0-9])/g,
    (_all, gap: string, letter: string) => `${gap === "" ? "" : " "}${letter.toUpperCase()}`,
  ),
  description: "",
  icon: "",
  color: "",
  default_workdir: "",
  created_at: null,
  orchestration: null,
  max_in_progress: null,
  paused_at: null,
  paused_by: null,
  paused_reason: null,
});
