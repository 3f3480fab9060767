// Prints results and messages. The output escapes control characters, so that no text of the server can control the terminal.

/**
 * Prints results to standard output, and notes to standard error. With --json, each result is one JSON object on one line.
 * Without --json, each text of an array is one line.
 */
export type Output = { show(text: string | readonly string[], value: object): void; note(text: string): void }

const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Escapes control characters as JSON does, so that the text stays on one line and JSON stays valid. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Prints lines to a stream, with escaped control characters. The tool prints every text of the server with this function.
 */
export function printLines(stream: NodeJS.WritableStream, lines: readonly string[]): void {
  stream.write(`${lines.map(escapeControls).join('\n')}\n`)
}

/** Returns a count with its noun, such as "1 event" or "3 events". */
export const countOf = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

/** Makes the printer of a command. If `json` is true, the printer writes JSON. */
export function outputOf(json: boolean): Output {
  return {
    show: (text, value) => printLines(process.stdout, json ? [JSON.stringify(value)] : [text].flat()),
    note: (text) => printLines(process.stderr, [text]),
  }
}
