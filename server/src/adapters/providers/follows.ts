// Finds two patterns in order. One expression for both would scan the rest of the text again after each first match.

/** Returns true if `then` matches after the first match of `first`. */
export function follows(text: string, first: RegExp, then: RegExp): boolean {
  const match = first.exec(text)
  return match !== null && then.test(text.slice(match.index + match[0].length))
}
