// What a payer or merchant typed never becomes part of a page's code.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Html, html } from './index.ts'

test('texts are escaped in elements and in quoted attributes', () => {
  const name = `"><script>alert('&')</script>`
  const page = html`<a title="${name}">${name}</a>`.toString()
  const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;'
  assert.equal(page, `<a title="${escaped}">${escaped}</a>`)
})

test('HTML inside HTML is not escaped twice, lists are joined, and nothing prints nothing', () => {
  const items = ['a', 'b & c'].map((text) => html`<li>${text}</li>`)
  assert.equal(
    html`<ul>${items}${null}${undefined}${false}${0}${7n}</ul>`.toString(),
    '<ul><li>a</li><li>b &amp; c</li>07</ul>',
  )
})

test('only the template makes HTML', () => {
  assert.throws(() => new Html(Symbol('html'), '<b>'))
  const forged = { toString: () => '<b>' } as unknown as string
  assert.equal(html`${forged}`.toString(), '&lt;b&gt;')
})
