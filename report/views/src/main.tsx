// Starts the page: reads the embedded data, puts the views in place of the plain tables; if that fails, says so above
// the tables and leaves them.

import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import "./plain.css";
import { mirrorInAddress } from "./address";
import { decodePayload } from "./decode";
import { listen } from "./keys";
import { Shell } from "./shell";
import { Store } from "./state";
import "./print.css";
import "./narrow.css";

async function start(): Promise<void> {
  const data = document.getElementById("payload");
  if (!data?.textContent) throw new Error("the page contains no data");
  const store = new Store(await decodePayload(data.textContent));
  data.remove();
  mirrorInAddress(store, window);
  listen(document);
  document.getElementById("plain")?.remove();
  const root = document.createElement("div");
  root.id = "views";
  document.body.append(root);
  render(<Shell store={store} />, root);
}

start().catch((error: unknown) => {
  const note = document.createElement("p");
  note.id = "failure";
  note.setAttribute("role", "alert");
  const cause = error instanceof Error ? error.message : String(error);
  note.textContent = `The interactive views could not be shown: ${cause}. The tables below contain the main figures.`;
  document.body.prepend(note);
});
