// Finds two patterns in order, with one expression for each. A single expression for both would scan the rest of the text
// after every match of the first pattern.

/** Returns true if the text after the first match of `first` matches `then`. */
export function follows(text: string, first: RegExp, then: RegExp): boolean {
  const match = first.exec(text)
  return match !== null && then.test(text.slice(match.index + match[0].length))
}
