// Two words in their order. One expression for both would read the rest of the text again at each first word.

/** True if `then` matches somewhere behind the first match of `first`. */
export function follows(text: string, first: RegExp, then: RegExp): boolean {
  const match = first.exec(text)
  return match !== null && then.test(text.slice(match.index + match[0].length))
}
