import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { hasBoard, tabId, withTab } from "../plugins/tabs.js";
import { useServices } from "../services.js";
import { useStore } from "../state/use-store.js";
import { VIEWS } from "../views.js";
import { ConnectionState } from "./connection-state.js";
import { Icon } from "./icon.js";
import { savedTheme, setTheme, type Theme } from "./theme.js";

/** The line above every view: where one can go, whether the page is up to date, light or dark. */
export function Header({ current }: { current: string }) {
  const plugins = useStore(useServices().plugins, (now) => now);
  const views = VIEWS.filter(({ id }) => id !== "board" || hasBoard(plugins));
  const here = useRef<HTMLAnchorElement>(null);
  // Where the line is too short for all of them it scrolls.
  useLayoutEffect(() => here.current?.scrollIntoView({ block: "nearest", inline: "nearest" }), [current]);
  const tabs = withTab(plugins ?? []).map((plugin) => ({ id: tabId(plugin), title: plugin.label }));
  return (
    <header class="top">
      <span class="brand">agent</span>
      <nav aria-label="Views">
        {[...views, ...tabs].map(({ id, title }) => (
          <a
            key={id}
            ref={id === current ? here : null}
            href={`#/${id}`}
            aria-current={id === current ? "page" : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <span class="grow" />
      <ConnectionState />
      <ThemeSwitch />
    </header>
  );
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };
const NAMES: Readonly<Record<Theme, string>> = { system: "as the system", light: "light", dark: "dark" };
const ICONS = { system: "contrast", light: "sun", dark: "moon" } as const;

/** Light, dark, or what the system says. */
function ThemeSwitch() {
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
