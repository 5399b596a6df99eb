const KEY = "agent.theme";

/** `system` follows what the person has set for everything. */
export type Theme = "system" | "light" | "dark";

const isTheme = (word: string | null): word is Theme => word === "system" || word === "light" || word === "dark";

/** The theme that this browser was last told. */
export function savedTheme(): Theme {
  const word = localStorage.getItem(KEY);
  return isTheme(word) ? word : "system";
}

/** Show a theme and remember it. */
export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  show(theme);
}

/** Show the theme of before. */
export const startTheme = (): void => show(savedTheme());

function show(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
