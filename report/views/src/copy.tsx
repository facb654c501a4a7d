// A button that puts a text on the clipboard and says that it did.

import { useEffect, useState } from "preact/hooks";

export function CopyButton({ text, label, title }: { text: string; label: string; title?: string }) {
  const [copied, setCopied] = useState<boolean | null>(null);
  useEffect(() => {
    if (copied === null) return;
    const timer = setTimeout(() => setCopied(null), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true), () => setCopied(false));
  return (
    <button class="copy" title={title} data-copies={text} onClick={copy}>
      <span aria-live="polite">{copied === null ? label : copied ? "Copied" : "Copying failed"}</span>
    </button>
  );
}
