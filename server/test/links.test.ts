// Tests that each relative link of a document leads to a file that exists, and each anchor to a heading of that file.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Reads a page of the repository. For a file that is no page, returns an empty text. Null means that no such file exists.
 */
type ReadText = (path: string) => string | null

const readText: ReadText = (path) => {
  const place = join(ROOT, path)
  return existsSync(place) ? (path.endsWith('.md') ? readFileSync(place, 'utf8') : '') : null
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
}

/** Returns the anchors of a page, as GitHub makes them from the headings. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const base = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}_ -]/gu, '')
      .replaceAll(' ', '-')
    let anchor = base
    for (let number = 1; anchors.has(anchor); number += 1) anchor = `${base}-${number}`
    anchors.add(anchor)
  }
  return anchors
}

/** Returns the broken relative links of a page, each with the reason. */
function brokenLinks(path: string, markdown: string, read: ReadText): string[] {
  const text = withoutCode(markdown)
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/<(?:img|a)\b[^>]*\b(?:src|href)="([^"]+)"/g)]
  return links.flatMap(([, target = '']) => {
    if (/^(?:[a-z]+:|\/\/)/.test(target)) return []
    const [file = '', anchor] = target.split('#')
    const page = file === '' ? path : normalize(join(dirname(path), file))
    const content = page === path ? markdown : read(page)
    if (content === null) return [`${path}: ${target}: ${page} does not exist`]
    if (anchor === undefined || anchorsOf(content).has(anchor)) return []
    return [`${path}: ${target}: ${page} has no heading #${anchor}`]
  })
}

test('each relative link of a document leads to an existing file, and each anchor to an existing heading', () => {
  const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: ROOT })
  const pages = list
    .toString()
    .trim()
    .split('\n')
    .filter((path) => existsSync(join(ROOT, path)))
  assert.ok(pages.includes('README.md') && pages.length > 30, `found ${pages.length} documents`)
  assert.deepEqual(
    pages.flatMap((path) => brokenLinks(path, readText(path) ?? '', readText)),
    [],
  )
})

test('the link check finds a missing file, a missing heading and a missing picture, and skips code and web addresses', () => {
  const files: Record<string, string> = { 'docs/b.md': '# One `thing`, two\n## Same\n## Same\n', 'docs/c.png': '' }
  const check = (text: string) => brokenLinks('docs/a.md', `# Here\n${text}`, (path) => files[path] ?? null)
  for (const text of ['[x](d.md)', '[x](b.md#none)', '[x](#none)', '<img src="d.png">', '[x](../b.md)'])
    assert.equal(check(text).length, 1, text)
  for (const text of ['[x](b.md#one-thing-two)', '[x](b.md#same-1)', '[x](#here)', '![x](c.png)', '`[x](d.md)`'])
    assert.deepEqual(check(text), [], text)
  assert.deepEqual(check('```\n[x](d.md)\n```\n[x](https://example.com/d.md)'), [])
})
