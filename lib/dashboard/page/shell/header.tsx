import { VIEWS } from "../views.js";
import { ConnectionState } from "./connection-state.js";
import { ThemeSwitch } from "./theme-switch.js";

/** The line above every view: where one can go, whether the page is up to date, light or dark. */
export function Header({ current }: { current: string }) {
  return (
    <header class="top">
      <span class="brand">agent</span>
      <nav aria-label="Views">
        {VIEWS.map(({ id, title }) => (
          <a key={id} href={`#/${id}`} aria-current={id === current ? "page" : undefined}>
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
