// Syntax highlighting by Prism: a text becomes lines of coloured pieces. Unknown languages stay plain.

import Prism from "prismjs";
import "prismjs/components/prism-clike";
import "prismjs/components/prism-c";
import "prismjs/components/prism-cpp";
import "prismjs/components/prism-go";
import "prismjs/components/prism-java";
import "prismjs/components/prism-javascript";
import "prismjs/components/prism-python";
import "prismjs/components/prism-rust";
import "prismjs/components/prism-smalltalk";
import "prismjs/components/prism-typescript";

// It would look for code of its own on the page.
Prism.manual = true;

export interface Piece {
  /** Prism's name of the token; "" for plain text. */
  token: string;
  text: string;
}

export function highlight(text: string, language: string): Piece[][] {
  const grammar = Prism.languages[language];
  const lines: Piece[][] = [[]];
  const write = (token: string, written: string) => {
    written.split("\n").forEach((part, at) => {
      if (at > 0) lines.push([]);
      if (part !== "") lines[lines.length - 1].push({ token, text: part });
    });
  };
  const walk = (token: string, stream: Prism.TokenStream) => {
    if (typeof stream === "string") write(token, stream);
    else if (Array.isArray(stream)) stream.forEach((each) => walk(token, each));
    else walk(stream.type, stream.content);
  };
  walk("", grammar === undefined ? text : Prism.tokenize(text, grammar));
  return lines;
}
