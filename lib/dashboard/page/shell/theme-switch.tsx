import { useState } from "preact/hooks";
import { Icon } from "./icon.js";
import { savedTheme, setTheme, type Theme } from "./theme.js";

const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };
const NAMES: Readonly<Record<Theme, string>> = { system: "as the system", light: "light", dark: "dark" };
const ICONS = { system: "contrast", light: "sun", dark: "moon" } as const;

/** Light, dark, or what the system says. */
export function ThemeSwitch() {
  const [theme, show] = useState(savedTheme);
  const next = NEXT[theme];
  const label = `Theme: ${NAMES[theme]}. Switch to ${NAMES[next]}`;
  const turn = (): void => {
    setTheme(next);
    show(next);
  };
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={turn}>
      <Icon name={ICONS[theme]} />
    </button>
  );
}
