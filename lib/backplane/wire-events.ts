import type { StoredEvent } from "../../storage/store.js";
import { toIso } from "../base/units.js";
import type { WireEvent } from "../contracts/wire/wire.js";

/** A stored event in the form that clients get. */
function toWireEvent(event: StoredEvent): WireEvent {
  return {
    event: event.kind,
    seq: event.seq,
    store: event.store,
    ...(event.session === undefined ? {} : { session_id: event.session }),
    ...(event.turn === undefined ? {} : { turn_id: event.turn }),
    ...(event.task === undefined ? {} : { task_id: event.task }),
    ...(event.run === undefined ? {} : { run_id: event.run }),
    ...(event.actor === undefined ? {} : { actor: event.actor }),
    at: toIso(event.at),
    data: event.payload,
  };
}

/** Events in groups whose JSON stays below `maxBytes`. An event that is larger by itself loses its data, never its place. */
export function inBatches(events: readonly StoredEvent[], maxBytes: number): readonly string[] {
  const batches: string[] = [];
  let parts: string[] = [];
  let bytes = 0;
  const cut = () => {
    if (parts.length > 0) batches.push(`[${parts.join(",")}]`);
    parts = [];
    bytes = 0;
  };
  for (const event of events) {
    const text = eventText(event, maxBytes);
    const size = Buffer.byteLength(text) + 1;
    if (bytes + size > maxBytes) cut();
    parts.push(text);
    bytes += size;
  }
  cut();
  return batches;
}

function eventText(event: StoredEvent, maxBytes: number): string {
  const wire = toWireEvent(event);
  const text = JSON.stringify(wire);
  return Buffer.byteLength(text) + 1 <= maxBytes ? text : JSON.stringify({ ...wire, data: { truncated: true } });
}
