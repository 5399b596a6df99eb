import { MSGX_LINE } from "../../../fixtures/platforms/faults/lines/msgx.js";
import { holdsUnderKills } from "../../../fixtures/platforms/faults/suite.js";

holdsUnderKills(MSGX_LINE);
