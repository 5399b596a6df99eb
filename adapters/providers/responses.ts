import { defineProvider } from "../../lib/models/core/define.js";
import { responsesProvider } from "../../lib/models/wire/responses.js";

export default defineProvider({
  id: "responses",
  summary: "Endpoints with the public Responses protocol.",
  create: responsesProvider,
});
