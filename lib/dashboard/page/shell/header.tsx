import { useLayoutEffect, useRef } from "preact/hooks";
import { hasBoard, tabId, withTab } from "../plugins/tabs.js";
import { useServices } from "../services.js";
import { useStore } from "../state/use-store.js";
import { VIEWS } from "../views.js";
import { ConnectionState } from "./connection-state.js";
import { ThemeSwitch } from "./theme-switch.js";

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
