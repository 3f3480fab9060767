// Prints results and messages. Text of the server cannot control the terminal.

/** Prints the results of a command. With --json, each line is one JSON object. An array has several lines. */
export type Output = { show(text: string | readonly string[], value: object): void; note(text: string): void }

const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Returns one line whose control characters are escaped as in JSON, so that JSON stays valid. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Prints lines to a stream. Every text that the tool did not write itself passes here. */
export function printLines(stream: NodeJS.WritableStream, lines: readonly string[]): void {
  stream.write(`${lines.map(escapeControls).join('\n')}\n`)
}

/** Returns the output of a command. */
export function outputOf(json: boolean): Output {
  return {
    show: (text, value) => printLines(process.stdout, json ? [JSON.stringify(value)] : [text].flat()),
    note: (text) => printLines(process.stderr, [text]),
  }
}
