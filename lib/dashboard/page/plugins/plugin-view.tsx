import { useEffect, useRef, useState } from "preact/hooks";
import { type Services, useServices } from "../services.js";
import { sdkOf } from "./sdk.js";
import type { PluginTab } from "./tabs.js";

/** What the module of a plugin must have. */
interface PluginModule {
  mount?(element: HTMLElement, sdk: ReturnType<typeof sdkOf>): unknown;
}

/** The tab of a plugin: its module fills an element, and empties it when the tab is left. */
export function PluginView({ plugin }: { plugin: PluginTab }) {
  const services = useServices();
  const place = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  useEffect(() => {
    setProblem(undefined);
    return place.current === null ? undefined : show(plugin, place.current, services, setProblem);
  }, [plugin, services]);
  const wrong = problem ?? plugin.error ?? undefined;
  return (
    <div class="page-view">
      <h1>{plugin.label}</h1>
      {wrong !== undefined && (
        <p class="problem" role="alert">
          {wrong}
        </p>
      )}
      <div ref={place} class="plugin-place" />
    </div>
  );
}

/** Load and mount; the result leaves nothing behind, also when the module comes later than that. */
function show(
  plugin: PluginTab,
  place: HTMLElement,
  services: Services,
  failed: (problem: string) => void,
): () => void {
  let left = false;
  let unmount: unknown;
  const sheet = plugin.css === null ? undefined : styled(services.api.url(plugin.css));
  const begin = async (): Promise<void> => {
    // Whatever the module is, only what is asked of it is used.
    const loaded = (await import(services.api.url(plugin.entry ?? "").href)) as PluginModule;
    if (left) return;
    if (typeof loaded.mount !== "function") throw new Error(`${plugin.label} has no mount function.`);
    unmount = await loaded.mount(place, sdkOf(services));
    if (left) leave(unmount);
  };
  begin().catch((error: unknown) => failed(error instanceof Error ? error.message : String(error)));
  return () => {
    left = true;
    leave(unmount);
    place.replaceChildren();
    sheet?.remove();
  };
}

function leave(unmount: unknown): void {
  if (typeof unmount === "function") unmount();
}

function styled(url: URL): HTMLLinkElement {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = url.href;
  document.head.append(link);
  return link;
}
