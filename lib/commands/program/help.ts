import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { findTopic, listTopics } from "../../help/help.js";
import { defineCommand } from "../define.js";

/** Its data are the schemas of methods and events as well. */
const PROTOCOL_TOPIC = "protocol";

export default defineCommand({
  path: "help",
  summary: "Show a help topic, or the list of topics.",
  topic: "start",
  params: z.object({ topic: z.string().optional().describe("topic name") }),
  positionals: ["topic"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ topic }, { owner, json }) => {
    if (topic === undefined) {
      const topics = await listTopics();
      const lines = topics.map(({ name, summary }) => `  ${name.padEnd(14)} ${summary}`);
      const text = ["Topics (agent help TOPIC):", "", ...lines, "", "agent --help lists the commands."].join("\n");
      return { text, data: topics.map(({ name, title, summary }) => ({ name, title, summary })) };
    }
    const found = await findTopic(topic);
    if (!found) {
      const names = (await listTopics()).map(({ name }) => name).join(", ");
      throw new AppError("E_NOT_FOUND", `unknown help topic '${topic}' (known: ${names})`, {
        hint: "agent help lists the topics",
      });
    }
    return {
      text: found.text,
      data: topic === PROTOCOL_TOPIC && json ? { ...found, ...(await owner.protocol()) } : found,
    };
  },
});
