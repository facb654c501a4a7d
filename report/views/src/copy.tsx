// A button that puts a text on the clipboard and says that it did.

import { useEffect, useState } from "preact/hooks";

export function CopyButton({ text, label, title }: { text: string; label: string; title?: string }) {
  const [copied, setCopied] = useState<boolean | null>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button class="copy" title={title} data-copies={text} onClick={() => void copyText(text).then(setCopied)}>
      <span aria-live="polite">{copied === null ? label : copied ? "Copied" : "Copying failed"}</span>
    </button>
  );
}

/** Whether the text is on the clipboard now. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page that came by plain HTTP has no clipboard, and a browser may refuse it one.
    return copySelected(text);
  }
}

/** The way of before there was a clipboard for scripts: select the text in a field, and copy what is selected. */
function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.className = "spoken";
  field.readOnly = true;
  field.value = text;
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement || focused instanceof SVGElement) focused.focus({ preventScroll: true });
  }
}
