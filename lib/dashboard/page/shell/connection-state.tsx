import { useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import { combineConnections, type PageConnection } from "../state/session.js";
import { useStore } from "../state/use-store.js";

/** Whether changes arrive as they happen; while they do not, when the next try is. */
export function ConnectionState() {
  const { connection: board, rpc } = useServices();
  const connection = combineConnections(
    useStore(board, (now) => now),
    useStore(rpc.connection, (now) => now),
  );
  const left = useSecondsLeft(connection);
  const text = { idle: "", connecting: "Connecting…", open: "Live", waiting: "Offline" }[connection.state];
  if (text === "") return null;
  return (
    <span class={`connection connection-${connection.state}`} role="status" aria-live="polite">
      <span class="dot" aria-hidden="true" />
      {/* The seconds are for the eye: read out each second they would drown everything else. */}
      <span class="connection-words" aria-hidden={connection.state === "waiting"}>
        {text}
        {connection.state === "waiting" && <span class="connection-when">, again in {left} s</span>}
      </span>
      {connection.state === "waiting" && <span class="sr-only">Offline</span>}
    </span>
  );
}

function useSecondsLeft(connection: PageConnection): number {
  const [, again] = useState(0);
  const until = connection.state === "waiting" ? connection.until : undefined;
  useEffect(() => {
    if (until === undefined) return;
    const timer = setInterval(() => again((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [until]);
  return until === undefined ? 0 : Math.max(0, Math.ceil((until - Date.now()) / 1000));
}
