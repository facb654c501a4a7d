// The search field of a view: typing searches, Enter goes to the next match, Escape forgets the search.

import type { Ref } from "preact";

interface SearchFieldProps {
  query: string;
  placeholder: string;
  field: Ref<HTMLInputElement>;
  onQuery: (query: string) => void;
  onNext: () => void;
}

export function SearchField({ query, placeholder, field, onQuery, onNext }: SearchFieldProps) {
  return (
    <label class="search">
      <span class="dim">Search</span>
      <input
        ref={field}
        type="search"
        value={query}
        placeholder={placeholder}
        onInput={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onNext();
          if (event.key === "Escape") onQuery("");
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}
