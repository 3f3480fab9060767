// Reads the commands of a page of the handbook that a check runs.

/**
 * Returns the blocks of commands of a page that follow the mark `<!-- install: KIND -->`, in their order. Throws if the page
 * has none.
 */
export function blocksOf(page: string, kind: string): string[] {
  const blocks = [...page.matchAll(/^<!-- install: (\w+) -->\n```bash\n([\s\S]*?)^```$/gm)]
  const found = blocks.flatMap(([, mark, text = '']) => (mark === kind ? [text] : []))
  if (found.length === 0) throw new Error(`the page has no block of commands with the mark "install: ${kind}"`)
  return found
}
