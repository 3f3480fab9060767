// Writes a JSON document so that a person can read its differences: each part of a call or a component has its own line.

/** The depth from which a value takes one line. The levels are: document, paths, path, call, part. */
const DEPTH_MAX = 4
/** A value with fewer characters takes one line at any depth. */
const SHORT = 60

/** Returns the text of an OpenAPI document, with a line break at the end. */
export function documentText(document: object): string {
  return `${textOf(document, 0)}\n`
}

function textOf(value: unknown, depth: number): string {
  const line = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || depth === DEPTH_MAX || line.length < SHORT) return line
  const indent = ' '.repeat(depth)
  const entries = Array.isArray(value)
    ? value.map((one) => textOf(one, depth + 1))
    : Object.entries(value)
        .filter(([, inner]) => inner !== undefined)
        .map(([key, inner]) => `${JSON.stringify(key)}:${textOf(inner, depth + 1)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${entries.map((entry) => `${indent} ${entry}`).join(',\n')}\n${indent}${close}`
}
