import { isRecord } from "../../base/json/record.js";
import type { EventOrigin } from "../../contracts/board/platform-tag.js";
import { type Display, TOOL_PROGRESS, traitsOf } from "../../contracts/gateway/platform-traits.js";

/** @param own what `display.platforms.<tag>` holds; a value of the wrong kind counts as absent */
export function displayOf(tag: EventOrigin, own: unknown): Display {
  const { display: tier, streams } = traitsOf(tag);
  const cells = isRecord(own) ? own : {};
  const flag = <T>(name: string, otherwise: T): boolean | T => {
    const value = cells[name];
    return typeof value === "boolean" ? value : otherwise;
  };
  // `off` without quotes is false in YAML.
  const wanted = cells["tool_progress"] === false ? "off" : cells["tool_progress"];
  return {
    tools: TOOL_PROGRESS.find((one) => one === wanted) ?? tier.tools,
    busyDetail: flag("busy_detail", tier.busyDetail),
    interim: flag("interim_messages", tier.interim),
    life: flag("heartbeat", tier.life),
    streaming: streams ? flag("streaming", tier.streaming) : false,
    footer: flag("runtime_footer", tier.footer),
  };
}
