// Reads the commands of the handbook's pages for the checks that run these commands.

/**
 * Returns the blocks of commands of a page that follow the mark `<!-- install: KIND -->`, in their order. If the page has none,
 * throws an error.
 */
export function blocksOf(page: string, kind: string): string[] {
  const blocks = [...page.matchAll(/^<!-- install: (\w+) -->\n```bash\n([\s\S]*?)^```$/gm)]
  const found = blocks.flatMap(([, mark, text = '']) => (mark === kind ? [text] : []))
  if (found.length === 0) throw new Error(`the page has no block of commands with the mark "install: ${kind}"`)
  return found
}

/** Returns the commands of a block, each with its continued lines and its text from standard input. */
export function commandsOf(text: string): string[] {
  const commands: string[] = []
  let end: string | null = null
  let continued = false
  for (const line of text.split('\n')) {
    if (end === null && !continued && /^\s*(?:#|$)/.test(line)) continue
    if (end !== null || continued) commands.push(`${commands.pop()}\n${line}`)
    else commands.push(line)
    if (end !== null) end = line === end ? null : end
    else end = /<<(\w+)/.exec(line)?.[1] ?? null
    continued = end === null && line.endsWith('\\')
  }
  return commands
}
